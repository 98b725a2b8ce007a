//! Classes of pySimiam, and what they are here: the one table that both directions use.

use swarmarium_base::problem::did_you_mean;
use swarmarium_core::motion::differential_drive::GivesWay;
use swarmarium_core::text::wording::{join, shown};

/// A class that a world may name.
pub struct Known {
    /// The modules of pySimiam that have the class, beginning with the one that is written. `Class` alone means the class in
    /// the module of its name in small letters.
    modules: &'static [&'static str],
    class: &'static str,
    /// What it is here.
    pub ours: Ours,
}

/// What a class is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ours {
    /// A robot, by name.
    Robot(&'static str),
    /// A supervisor, by name.
    Supervisor(&'static str),
    /// Somebody who drives.
    Human,
}

impl Ours {
    /// What gives way in the wheels of robots with this supervisor, where it is not as usual: those of weeks 2 and 3 of the
    /// course make wheel speeds of their commands in ways of their own.
    pub fn gives_way(self) -> Option<GivesWay> {
        match self {
            Self::Supervisor("quickbot-go-to-angle") => Some(GivesWay::Both),
            Self::Supervisor("quickbot-go-to-goal") => Some(GivesWay::SpeedFreely),
            _ => None,
        }
    }
}

const fn robot(modules: &'static [&'static str], class: &'static str, ours: &'static str) -> Known {
    Known { modules, class, ours: Ours::Robot(ours) }
}

const fn supervisor(modules: &'static [&'static str], class: &'static str, ours: &'static str) -> Known {
    Known { modules, class, ours: Ours::Supervisor(ours) }
}

/// All classes; of those that are the same here the first is the one that is written.
const CLASSES: &[Known] = &[
    robot(&["khepera3"], "Khepera3", "khepera3"),
    robot(&["quickbot", "qb_realtime"], "QuickBot", "quickbot"),
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
    Known { modules: &["joystick"], class: "QBJoystickSupervisor", ours: Ours::Human },
    Known { modules: &["qb_realtime_pwmtest"], class: "PWMTest", ours: Ours::Human },
];

impl Known {
    /// How a world names it.
    pub fn name(&self) -> String {
        match self.modules {
            [module, ..] if *module != self.class.to_lowercase() => format!("{module}.{}", self.class),
            _ => self.class.to_owned(),
        }
    }

    fn is_robot(&self) -> bool {
        matches!(self.ours, Ours::Robot(_))
    }

    /// Whether pySimiam has this class in the module of a name. `Class` is in the module `class`; `a.b.Class` is in the module
    /// `b` of the package `a`, here also written `a_b`.
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
/// When it is not known: lists those that are.
pub fn find(name: &str, is_robot: bool) -> Result<&'static Known, String> {
    let mut all = CLASSES.iter().filter(|known| known.is_robot() == is_robot);
    let class = name.rsplit_once('.').map_or(name, |(_, class)| class);
    all.clone().find(|known| known.class == class).map_or_else(
        || {
            let names: Vec<String> = all.by_ref().map(Known::name).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let what = if is_robot { "robot" } else { "supervisor" };
            let near = did_you_mean(name, names.iter().copied());
            let then = if near.is_empty() { "; there" } else { " There" };
            Err(format!("unknown {what} `{}`{near}{then} is {}", shown(name), join(&names, "and")))
        },
        Ok,
    )
}

/// The names that worlds have for a robot or supervisor of ours: the class that is written first.
pub fn named(ours: Ours) -> Option<&'static Known> {
    CLASSES.iter().find(|known| known.ours == ours)
}

/// All robots, or all supervisors, that have a class.
pub fn all(is_robot: bool) -> impl Iterator<Item = &'static Known> {
    CLASSES.iter().filter(move |known| known.is_robot() == is_robot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(name: &str, is_robot: bool) -> Option<Ours> {
        find(name, is_robot).ok().map(|known| known.ours)
    }

    #[test]
    fn classes_are_found_by_the_rules_of_modules() {
        for name in ["Khepera3", "khepera3.Khepera3"] {
            assert_eq!(ours(name, true), Some(Ours::Robot("khepera3")), "{name}");
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
            let known = find(name, false).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((known.ours, known.has_module_of(name)), (Ours::Supervisor(wanted), true), "{name}");
        }
        for name in ["mine.QBFullSupervisor", "QBFullSupervisor", "a.b.c.QBFullSupervisor"] {
            let known = find(name, false).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((known.ours, known.has_module_of(name)), (Ours::Supervisor("quickbot-full"), false), "{name}");
        }
        for name in ["K3DefaultSupervisor", "k3defaultsupervisor.K3DefaultSupervisor", "khepera3.K3Supervisor"] {
            assert_eq!(ours(name, false), Some(Ours::Supervisor("k3-default")), "{name}");
        }
        assert_eq!(ours("joystick.QBJoystickSupervisor", false), Some(Ours::Human));
        for name in ["khepera3", "KHEPERA3", "Khepera3.khepera3", "K3DefaultSupervisor", "", "."] {
            assert_eq!(ours(name, true), None, "{name}");
        }
    }

    #[test]
    fn a_class_that_is_not_known_lists_those_that_are() {
        let told = find("Kephera3", true).err().unwrap();
        assert_eq!(told, "unknown robot `Kephera3`, did you mean `Khepera3`? There is Khepera3 and QuickBot");
        assert!(find("week9.X", false).err().unwrap().contains("week3.QBGTGSupervisor"));
    }

    #[test]
    fn what_is_written_is_read() {
        for known in CLASSES {
            assert_eq!(ours(&known.name(), known.is_robot()), Some(known.ours), "{}", known.name());
        }
    }
}
