//! Classes of pySimiam and their counterparts in this program, for imports and exports.

use swarmarium_base::problem::did_you_mean;
use swarmarium_core::motion::differential_drive::WheelSaturation;
use swarmarium_core::text::wording::{join, shown};

/// A world names a class that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", unknown_class(.name, *.is_robot))]
pub struct UnknownClass {
    /// The name.
    pub name: String,
    /// Whether the name stands for a robot, and not for a supervisor.
    pub is_robot: bool,
}

/// The text for an unknown class, with the known ones.
fn unknown_class(name: &str, is_robot: bool) -> String {
    let names: Vec<String> = all(is_robot).map(ClassMapping::name).collect();
    let role = if is_robot { "robot" } else { "supervisor" };
    let near = did_you_mean(name, names.iter().map(String::as_str));
    let there = if near.is_empty() { "; there" } else { " There" };
    format!("unknown {role} `{}`{near}{there} is {}", shown(name), known_names(is_robot))
}

/// A class that a world can name, and its counterpart.
pub struct ClassMapping {
    /// The modules of pySimiam that have the class. The first of them is written. `Class` alone means the class in the module
    /// of its name in small letters.
    modules: &'static [&'static str],
    class: &'static str,
    /// The counterpart of the class.
    pub counterpart: Counterpart,
}

/// The counterpart of a class of pySimiam in this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counterpart {
    /// A robot, by name.
    Robot(&'static str),
    /// A supervisor, by name.
    Supervisor(&'static str),
    /// A person who drives the robot.
    Human,
    /// A Python program with a user's own class.
    Own,
}

impl Counterpart {
    /// The part of a command that gives way when a wheel would be too fast, for supervisors that differ from the default:
    /// those of weeks 2 and 3 of the course convert commands to wheel speeds in other ways.
    pub fn saturation(self) -> Option<WheelSaturation> {
        match self {
            Self::Supervisor("quickbot-go-to-angle") => Some(WheelSaturation::ClipWheels),
            Self::Supervisor("quickbot-go-to-goal") => Some(WheelSaturation::KeepTurnRateAllowReverse),
            _ => None,
        }
    }
}

/// The names of the robots of pySimiam in this program.
const KHEPERA3: &str = "khepera3";
const QUICKBOT: &str = "quickbot";

const fn robot(modules: &'static [&'static str], class: &'static str, name: &'static str) -> ClassMapping {
    ClassMapping { modules, class, counterpart: Counterpart::Robot(name) }
}

const fn supervisor(modules: &'static [&'static str], class: &'static str, name: &'static str) -> ClassMapping {
    ClassMapping { modules, class, counterpart: Counterpart::Supervisor(name) }
}

const fn human(modules: &'static [&'static str], class: &'static str) -> ClassMapping {
    ClassMapping { modules, class, counterpart: Counterpart::Human }
}

/// All classes. Of several classes with the same counterpart, the first is written.
const CLASSES: &[ClassMapping] = &[
    robot(&["khepera3"], "Khepera3", KHEPERA3),
    robot(&["quickbot", "qb_realtime"], "QuickBot", QUICKBOT),
    supervisor(&["k3defaultsupervisor"], "K3DefaultSupervisor", "k3-default"),
    supervisor(&["khepera3"], "K3Supervisor", "k3-default"),
    supervisor(&["k3blendingsupervisor"], "K3BlendingSupervisor", "k3-blending"),
    supervisor(&["k3fullsupervisor"], "K3FullSupervisor", "k3-full"),
    supervisor(&["quickbotdefaultsupervisor"], "QuickBotDefaultSupervisor", "quickbot-default"),
    supervisor(&["week2", "week2_solved"], "QuickBotSupervisor", "quickbot-go-to-angle"),
    supervisor(&["week2", "week2_solved"], "QuickBotSupervisor2", "quickbot-go-to-angle"),
    supervisor(&["week3", "week3_solved"], "QBGTGSupervisor", "quickbot-go-to-goal"),
    supervisor(&["week3_solved"], "QBGTGSupervisorX", "quickbot-go-to-goal"),
    supervisor(&["week4", "week4_solved"], "QBAvoidSupervisor", "quickbot-avoid"),
    supervisor(&["week5_blending", "week5", "week5_solved"], "QBBlendingSupervisor", "quickbot-blending"),
    supervisor(
        &["week5_switching", "week5_switching_solved", "week5", "week5_solved"],
        "QBSwitchingSupervisor",
        "quickbot-switching",
    ),
    supervisor(&["week6", "week6_solved"], "QBWallSupervisor", "quickbot-wall"),
    supervisor(&["week7", "week7_solved"], "QBFullSupervisor", "quickbot-full"),
    // The supervisor of Sim.I.Am, the simulator in MATLAB: its course ends with this task.
    supervisor(&["quickbot"], "QBSupervisor", "quickbot-full"),
    human(&["joystick"], "QBJoystickSupervisor"),
    human(&["qb_realtime_pwmtest"], "PWMTest"),
];

impl ClassMapping {
    /// The name of the class in a world.
    pub fn name(&self) -> String {
        match self.modules {
            [module, ..] if *module != self.class.to_lowercase() => format!("{module}.{}", self.class),
            _ => self.class.to_owned(),
        }
    }

    fn is_robot(&self) -> bool {
        matches!(self.counterpart, Counterpart::Robot(_))
    }

    /// Whether pySimiam has this class in the module of a name. `Class` is in the module `class`. `a.b.Class` is in the module
    /// `b` of the package `a`, which [`ClassMapping`] writes as `a_b`.
    pub fn has_module_of(&self, name: &str) -> bool {
        let module = match name.rsplit_once('.') {
            Some((module, _)) => module.replace('.', "_"),
            None => name.to_lowercase(),
        };
        self.modules.contains(&module.as_str())
    }
}

/// The robot or supervisor that a world names. Only the name of the class counts, in any module.
///
/// # Errors
/// When the class is unknown. The message lists the known ones.
pub fn find(name: &str, is_robot: bool) -> Result<&'static ClassMapping, UnknownClass> {
    let class = name.rsplit_once('.').map_or(name, |(_, class)| class);
    let found = all(is_robot).find(|mapping| mapping.class == class);
    found.ok_or_else(|| UnknownClass { name: name.to_owned(), is_robot })
}

/// The class that a world has for a robot or supervisor of this program.
pub fn class_for(counterpart: Counterpart) -> Option<&'static ClassMapping> {
    CLASSES.iter().find(|mapping| mapping.counterpart == counterpart)
}

/// The names of this program for the robots, or for the supervisors, of pySimiam, with their counterparts.
pub fn counterparts(is_robot: bool) -> impl Iterator<Item = (&'static str, Counterpart)> {
    all(is_robot).filter_map(|mapping| match mapping.counterpart {
        Counterpart::Robot(name) | Counterpart::Supervisor(name) => Some((name, mapping.counterpart)),
        Counterpart::Human | Counterpart::Own => None,
    })
}

/// All classes of robots, or all classes of supervisors.
pub fn all(is_robot: bool) -> impl Iterator<Item = &'static ClassMapping> {
    CLASSES.iter().filter(move |mapping| mapping.is_robot() == is_robot)
}

/// The warning about a class of a user's own, with its counterpart. A supervisor's is for a robot with a class.
pub fn own_class_warning(name: &str, counterpart: Counterpart, of_robot: Option<&str>) -> String {
    let is_robot = matches!(counterpart, Counterpart::Robot(_));
    let known: Vec<String> = all(is_robot).map(ClassMapping::name).collect();
    let near = did_you_mean(name, known.iter().map(String::as_str));
    let end = if near.is_empty() { "." } else { "" };
    let (role, shown) = (if is_robot { "robot" } else { "supervisor" }, shown(name));
    let reading = match counterpart {
        Counterpart::Robot(robot) => {
            let other = if robot == KHEPERA3 { QUICKBOT } else { KHEPERA3 };
            format!("It is read as a `{robot}`; `--robot {shown}={other}` chooses the other robot")
        }
        _ => {
            let is_khepera = of_robot.is_some_and(|name| name.to_lowercase().contains("khepera"));
            let full = if is_khepera { "k3-full" } else { "quickbot-full" };
            format!(
                "It is read as a Python class: the robot stands until a Python program drives it; its options are in \
             `metadata`. `--supervisor {shown}={full}` chooses a supervisor that drives it"
            )
        }
    };
    format!("pySimiam has no {role} `{shown}`{near}{end} {reading}")
}

/// The robot of this program that stands for a robot class of a user's own: the one that its supervisor is made for.
pub fn usual_stand_in(supervisor: Option<&str>) -> Counterpart {
    match supervisor.map(|name| find(name, false)) {
        Some(Ok(ClassMapping { counterpart: Counterpart::Supervisor(name), .. })) if name.starts_with("k3") => {
            Counterpart::Robot(KHEPERA3)
        }
        _ => Counterpart::Robot(QUICKBOT),
    }
}

/// The names of all robots, or of all supervisors, for messages.
pub fn known_names(is_robot: bool) -> String {
    let names: Vec<String> = all(is_robot).map(ClassMapping::name).collect();
    join(&names.iter().map(String::as_str).collect::<Vec<_>>(), "and")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counterpart(name: &str, is_robot: bool) -> Option<Counterpart> {
        find(name, is_robot).ok().map(|mapping| mapping.counterpart)
    }

    #[test]
    fn classes_are_found_by_the_rules_of_modules() {
        for name in ["Khepera3", "khepera3.Khepera3"] {
            assert_eq!(counterpart(name, true), Some(Counterpart::Robot("khepera3")), "{name}");
        }
        for (name, wanted) in [
            ("week7.QBFullSupervisor", "quickbot-full"),
            ("week7_solved.QBFullSupervisor", "quickbot-full"),
            ("week7.solved.QBFullSupervisor", "quickbot-full"),
            ("week5_blending.QBBlendingSupervisor", "quickbot-blending"),
            ("week5_switching.QBSwitchingSupervisor", "quickbot-switching"),
            ("week5_switching_solved.QBSwitchingSupervisor", "quickbot-switching"),
            ("week3_solved.QBGTGSupervisorX", "quickbot-go-to-goal"),
        ] {
            let class = find(name, false).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(class.counterpart, Counterpart::Supervisor(wanted), "{name}");
            assert!(class.has_module_of(name), "{name}");
        }
        for name in ["mine.QBFullSupervisor", "QBFullSupervisor", "a.b.c.QBFullSupervisor"] {
            let class = find(name, false).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(class.counterpart, Counterpart::Supervisor("quickbot-full"), "{name}");
            assert!(!class.has_module_of(name), "{name}");
        }
        for name in ["K3DefaultSupervisor", "k3defaultsupervisor.K3DefaultSupervisor", "khepera3.K3Supervisor"] {
            assert_eq!(counterpart(name, false), Some(Counterpart::Supervisor("k3-default")), "{name}");
        }
        assert_eq!(counterpart("joystick.QBJoystickSupervisor", false), Some(Counterpart::Human));
        for name in ["khepera3", "KHEPERA3", "Khepera3.khepera3", "K3DefaultSupervisor", "", "."] {
            assert_eq!(counterpart(name, true), None, "{name}");
        }
    }

    #[test]
    fn the_error_for_an_unknown_class_lists_the_known_ones() {
        let error = find("Kephera3", true).err().unwrap().to_string();
        assert_eq!(error, "unknown robot `Kephera3`; did you mean `Khepera3`? There is Khepera3 and QuickBot");
        assert!(find("week9.X", false).err().unwrap().to_string().contains("week3.QBGTGSupervisor"));
    }

    #[test]
    fn written_names_are_read() {
        for class in CLASSES {
            assert_eq!(counterpart(&class.name(), class.is_robot()), Some(class.counterpart), "{}", class.name());
        }
    }
}
