//! A plan that is resolved: its scene is loaded, its points are listed, and every value is known to fit.

use std::path::{Path, PathBuf};

use swarmarium_base::files;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric::{self, Quantity};
use swarmarium_core::text::wording::{count, shown};
use swarmarium_formats::import::Options;
use swarmarium_formats::load::{Override, load_with, locate_problems, missing};
use swarmarium_formats::run_folder::read_edits;
use swarmarium_scene::check::mistake;
use swarmarium_scene::scene::description::{Scene, Stop};
use swarmarium_scene::scene::origins::Step;
use swarmarium_scene::scene::writer::{self, Style};
use swarmarium_scene::scene::{constants, path, reader, shipped};
use swarmarium_simulation::edit::{Edit, LoggedEdit};
use swarmarium_simulation::simulation::{Recipe, Simulation};
use xxhash_rust::xxh3::xxh3_64;

use crate::controllers::{self, ControllerValue};
use crate::plan::{MAX_RUNS, Measure, Plan, Seeds, Value, kinds_with_plans};
use crate::sampling::points;

mod check;
mod factor;
mod moment;
mod observable;

pub(crate) use check::{OTHER_METRICS, is_at};
pub use factor::ResolvedFactor;
pub(crate) use moment::advance;
pub use observable::Observable;

/// A plan, ready to run.
#[derive(Clone)]
pub struct Sweep {
    /// The plan; its scene, factors, points and measures are written out.
    pub plan: Plan,
    /// The scene that all runs share, but for factors and seed.
    pub scene: Scene,
    /// The edits that all runs repeat: those before the factors get their values at a later begin, and all of them
    /// otherwise.
    pub log: Vec<LoggedEdit>,
    /// The factors.
    pub factors: Vec<ResolvedFactor>,
    /// The points: one value for each factor.
    pub points: Vec<Vec<Value>>,
    /// The number of runs of each point.
    pub repetitions: u64,
    /// The columns of the metrics of the scene.
    pub metric_columns: Vec<String>,
    /// The quantities in these columns.
    pub(crate) quantities: Vec<Quantity>,
    /// The observed number of each measure.
    pub observables: Vec<Observable>,
    /// The recipe of the simulations.
    pub recipe: Recipe,
    /// The name of the plan or scene in messages.
    pub source_name: String,
    /// The warnings of the importer of the scene, and those about its values.
    pub warnings: Vec<Problem>,
    /// The warnings about fields of the plan.
    pub plan_warnings: Vec<Problem>,
}

/// The text of a plan and its origin.
#[derive(Clone, Copy, Debug)]
pub struct PlanText<'a> {
    /// The name in messages: that of a file, or of a shipped plan.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// One run of a sweep. Points and repetitions are counted from 0 here, and from 1 in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The place of the point.
    pub point: usize,
    /// The number of the repetition.
    pub repetition: u64,
}

/// The path of the seed.
const SEED: &str = "seed";

/// Reads a plan.
///
/// # Errors
/// All problems of the text, with their places.
pub fn read(recipe: &Recipe, source: PlanText) -> Result<Plan, Problems> {
    reader::read(&kinds_with_plans(recipe.kinds()), source.name, source.text)
}

/// Writes a plan: the fields that differ from their defaults.
pub fn write(recipe: &Recipe, plan: &Plan) -> String {
    writer::write(&kinds_with_plans(recipe.kinds()), plan, Style::Short) + "\n"
}

impl Sweep {
    /// Resolves a plan. The text, where there is one, gives the places of problems.
    ///
    /// # Errors
    /// All problems of the plan, of its scene, or of the first run.
    pub fn resolve(recipe: &Recipe, plan: Plan, source: PlanText, options: &Options) -> Result<Self, Problems> {
        Self::resolve_with(recipe, plan, (source, false), options)
    }

    /// As [`resolve`](Self::resolve), where a shipped plan has shipped scenes only.
    pub(crate) fn resolve_with(
        recipe: &Recipe,
        plan: Plan,
        (source, is_shipped): (PlanText, bool),
        options: &Options,
    ) -> Result<Self, Problems> {
        let kinds = recipe.kinds();
        // A plan of flags lies in no folder.
        let folder = Path::new(source.name).parent().filter(|_| !source.text.is_empty());
        let name = scene_name(folder, &plan.scene, is_shipped);
        if let Some(missing) = missing(&name).filter(|_| !source.text.is_empty()) {
            let mut problems = check::PlanProblems::new(source);
            for Problem { message, .. } in missing.problems {
                problems.add("scene", format!("{}: {message}", files::shown(&name)));
            }
            problems.done()?;
        }
        let loaded = load_with(kinds, &name, &[], options)?;
        let mut warnings = loaded.warnings;
        let log = match plan.begin.edits.as_str() {
            // A shared scene contains its edits.
            "" => loaded.edits,
            edits => read_edits(&folder.unwrap_or_else(|| Path::new("")).join(edits))?,
        };
        let late = log.iter().filter(|logged| plan.begin.step > 0 && logged.step > plan.begin.step + 1).count();
        if late > 0 && plan.begin.edits.is_empty() {
            let late = count(late, "edit");
            let message = format!("{late} of the shared scene after the step at which the runs begin: left out");
            warnings.push(Problem::of_file(message));
        }
        let resolved = Self::of_run(recipe, plan, (loaded.scene, log), source);
        let resolved = resolved.map_err(|problems| match problems.source_name == source.name {
            true => problems,
            false => locate_problems(&name, problems),
        });
        resolved.map(|sweep| {
            let of_scene = Problems { source_name: String::new(), problems: sweep.warnings };
            warnings.extend(locate_problems(&name, of_scene).problems);
            Self { warnings, ..sweep }
        })
    }

    /// Resolves a plan for a scene in memory; the scene that the plan names is not read.
    ///
    /// ```
    /// use swarmarium_simulation::prelude::*;
    /// use swarmarium_formats::standard::Standard as _;
    /// use swarmarium_sweep::plan::{Factor, Values};
    /// use swarmarium_sweep::{Plan, PlanText, Sweep};
    ///
    /// let recipe = Recipe::standard();
    /// let values = Values::Range { from: 1.0, to: 5.0, count: 5 };
    /// let factors = vec![Factor { path: "seed".into(), values, ..Default::default() }];
    /// let plan = Plan { scene: "in memory".into(), factors, ..Default::default() };
    /// let sweep = Sweep::of_scene(&recipe, plan, Scene::default(), PlanText { name: "code", text: "" })?;
    /// assert_eq!(sweep.run_count(), 5);
    /// # Ok::<(), swarmarium_base::problem::Problems>(())
    /// ```
    ///
    /// # Errors
    /// All problems of the plan, or of the first run.
    pub fn of_scene(recipe: &Recipe, plan: Plan, scene: Scene, source: PlanText) -> Result<Self, Problems> {
        Self::of_run(recipe, plan, (scene, Vec::new()), source)
    }

    /// As [`of_scene`](Self::of_scene), for a run in memory: its scene, and its edits. Runs that begin at a later moment
    /// repeat them until then; other runs repeat all of them.
    ///
    /// # Errors
    /// All problems of the plan, or of the first run.
    pub fn of_run(
        recipe: &Recipe,
        mut plan: Plan,
        (mut scene, mut log): (Scene, Vec<LoggedEdit>),
        source: PlanText,
    ) -> Result<Self, Problems> {
        if plan.begin.step > 0 {
            // Edits of the next step are made before the factors get their values.
            log.retain(|logged| logged.step <= plan.begin.step.saturating_add(1));
        }
        let kinds = recipe.kinds();
        let mut problems = check::PlanProblems::new(source);
        for (index, setting) in plan.set.iter().enumerate() {
            if let Err(problem) = constants::set(kinds, &mut scene, &setting.path, setting.value.text()) {
                problems.add(&format!("set[{index}].path"), of_value(&problem));
            }
        }
        scene.metrics.extend(std::mem::take(&mut plan.metrics));
        scene.stop = stop_of(&plan.stop, &scene.stop);
        let seed = *plan.seed.get_or_insert(scene.seed);
        problems.done()?;
        let present = moment::scene(recipe, &scene, &plan.begin, &log)?;
        let factors = factor::resolve(kinds, &present, &plan.factors, &mut problems);
        problems.done()?;
        if plan.begin.step > 0 {
            moment::check(kinds, &present, &plan, &mut problems);
        }
        let levels: Vec<_> = factors.iter().map(|factor| factor.levels.clone()).collect();
        let sampled = points(&plan.sampling, &levels, seed);
        let points = sampled.unwrap_or_else(|error| {
            problems.add(&error.path(), error.to_string());
            Vec::new()
        });
        let repetitions = match &plan.seeds {
            Seeds::List(seeds) => seeds.len() as u64,
            _ => plan.repetitions,
        };
        check::seeds(&plan, &factors, &mut problems);
        check::values(kinds, &present, &plan, &factors, &points, &mut problems);
        problems.done()?;
        let points = check::distinct(&plan, &factors, points, &mut problems);
        let runs = repetitions.saturating_mul(points.len() as u64);
        if runs > MAX_RUNS {
            let counts = format!("{} points with {repetitions} repetitions", points.len());
            problems.add("repetitions", format!("{counts} are {runs} runs: a sweep has at most {MAX_RUNS}"));
        }
        problems.done()?;
        let mut sweep = Self {
            plan,
            scene,
            log,
            factors,
            points,
            repetitions,
            metric_columns: Vec::new(),
            quantities: Vec::new(),
            observables: Vec::new(),
            recipe: recipe.clone(),
            source_name: source.name.into(),
            warnings: Vec::new(),
            plan_warnings: Vec::new(),
        };
        let first = sweep.first_simulation().map_err(|told| problems.of_condition(&sweep.plan.stop.when, told))?;
        (sweep.metric_columns, sweep.quantities) = (first.metric_columns(), metric::quantities(first.world()));
        check::scenes(&sweep, &mut problems);
        sweep.plan_warnings = check::letters(&sweep.plan, &sweep.metric_columns, source);
        if sweep.plan.measures.is_empty() {
            sweep.plan.measures = sweep.metric_columns.iter().map(|column| final_value(column)).collect();
        }
        let Plan { measures, expect, .. } = &mut sweep.plan;
        sweep.observables = observable::resolve(measures, &sweep.metric_columns, &first, &mut problems);
        check::columns(measures, &sweep.factors, &mut problems);
        check::windows(measures, &sweep.scene, &mut problems);
        sweep.plan_warnings.extend(check::long_windows(measures, &sweep.scene, source));
        sweep.warnings = mistake::mistakes(first.world(), &sweep.scene);
        check::expectations(expect, measures, &sweep.factors, &sweep.points, &mut problems);
        check::reference(&sweep, &mut problems);
        check::formulas(&sweep.plan.formulas, &sweep.points, &mut problems);
        problems.done()?;
        Ok(sweep)
    }

    /// A simulation of the first run that can be made; the metrics are the same in all.
    fn first_simulation(&self) -> Result<Simulation, Problems> {
        let scene = self.scene_of(Run { point: 0, repetition: 0 });
        let scene =
            scene.map_err(|problem| Problems { source_name: self.source_name.clone(), problems: vec![problem] })?;
        Simulation::with(&scene, &self.recipe, 1)
    }

    /// The number of runs.
    pub fn run_count(&self) -> u64 {
        self.repetitions * self.points.len() as u64
    }

    /// A run by its place in the order of execution: the first repetition of all points, then the second one, so that an
    /// interrupted sweep has as many runs of each point.
    pub fn run(&self, place: u64) -> Run {
        let points = self.points.len().max(1) as u64;
        Run { point: (place % points) as usize, repetition: place / points }
    }

    /// The point that others are compared with.
    pub fn reference(&self) -> usize {
        self.points.iter().position(|values| is_at(values, &self.plan.reference)).unwrap_or_default()
    }

    /// All runs in the order of tables: by point, then by repetition.
    pub fn runs(&self) -> impl Iterator<Item = Run> + use<> {
        let (points, repetitions) = (self.points.len(), self.repetitions);
        (0..points).flat_map(move |point| (0..repetitions).map(move |repetition| Run { point, repetition }))
    }

    /// Whether the seed is a factor: then each run has a seed of its own.
    pub fn has_seed_factor(&self) -> bool {
        self.factors.iter().any(|factor| factor.is_seed)
    }

    /// The seed of a run.
    pub fn seed(&self, run: Run) -> u64 {
        if let Some(seed) = self.factors.iter().position(|factor| factor.is_seed) {
            let value = self.points.get(run.point).and_then(|values| values.get(seed));
            return value.and_then(|value| value.text().parse().ok()).unwrap_or_default();
        }
        let master = self.plan.seed.unwrap_or(self.scene.seed);
        match &self.plan.seeds {
            Seeds::Common => master.wrapping_add(run.repetition),
            Seeds::List(seeds) => seeds.get(run.repetition as usize).copied().unwrap_or(master),
            Seeds::Independent => {
                let values = self.values_text(run.point);
                // Programs that read tables hold numbers up to 2⁵³ exactly.
                xxh3_64(format!("{master}\n{}\n{values}", run.repetition).as_bytes()) >> 11
            }
        }
    }

    /// The key of a run: it depends on the values of its point and on its seed, and on nothing else of the plan.
    pub fn key(&self, run: Run) -> u64 {
        xxh3_64(format!("{}\n{}", self.seed(run), self.values_text(run.point)).as_bytes())
    }

    /// The values of a point by the paths of the factors and of the parameters that are linked with them.
    fn values_text(&self, point: usize) -> String {
        let values = self.points.get(point).map(Vec::as_slice).unwrap_or_default();
        let overrides = self.factors.iter().zip(values).filter_map(|(factor, value)| factor.overrides(value).ok());
        overrides.flatten().map(|Override { path, value }| format!("{path}={value}\n")).collect()
    }

    /// The new values of the scene of a run, in the order in which they are set: seed, factors, linked parameters.
    ///
    /// # Errors
    /// When a linked parameter has no value.
    pub fn overrides(&self, run: Run) -> Result<Vec<Override>, Problem> {
        let mut overrides = vec![Override { path: SEED.into(), value: self.seed(run).to_string() }];
        let of_point = self.values_of(run.point)?.into_iter();
        overrides.extend(of_point.filter(|one| controllers::parameter(&one.path).is_none()));
        Ok(overrides)
    }

    /// The values of the parameters of controllers of a program in a run.
    ///
    /// # Errors
    /// When a linked parameter has no value.
    pub fn controller_values(&self, run: Run) -> Result<Vec<ControllerValue>, Problem> {
        let of_controller = |Override { path, value }: Override| {
            let (group, name) = controllers::parameter(&path)?;
            Some(ControllerValue { group: group.into(), name: name.into(), value })
        };
        Ok(self.values_of(run.point)?.into_iter().filter_map(of_controller).collect())
    }

    /// The values of a point for the factors and for the parameters that are linked with them.
    fn values_of(&self, point: usize) -> Result<Vec<Override>, Problem> {
        let values = self.points.get(point).map(Vec::as_slice).unwrap_or_default();
        let overrides = self.factors.iter().zip(values).map(|(factor, value)| factor.overrides(value));
        Ok(overrides.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// The paths of the factors and of the parameters that are linked with them.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.factors.iter().flat_map(|factor| {
            let linked = factor.linked.iter().map(|link| link.path.as_str());
            std::iter::once(factor.path.as_str()).chain(linked)
        })
    }

    /// The scene that a run starts with.
    ///
    /// # Errors
    /// When a value does not fit the scene.
    pub fn scene_of(&self, run: Run) -> Result<Scene, Problem> {
        let mut scene = self.scene.clone();
        if self.begins_later() {
            scene.seed = self.seed(run);
            return Ok(scene);
        }
        for Override { path, value } in self.overrides(run)? {
            constants::set(self.recipe.kinds(), &mut scene, &path, &value)?;
        }
        Ok(scene)
    }

    /// Whether the runs begin at a later moment than the start of the scene.
    pub fn begins_later(&self) -> bool {
        self.plan.begin.step > 0
    }

    /// The end of runs, counted from the start of the scene.
    pub fn absolute_stop(&self) -> Stop {
        let (begin, stop) = (self.plan.begin.step, &self.scene.stop);
        if begin == 0 {
            return stop.clone();
        }
        let when = match stop.when.as_str() {
            "" => String::new(),
            when => format!("step >= {begin} and ({when})"),
        };
        Stop { steps: begin.saturating_add(stop.most_steps(self.scene.time.dt_s)), time_s: 0.0, when }
    }

    /// The edits of a run: those that all runs repeat, and those that give the factors their values at a later moment.
    ///
    /// # Errors
    /// When a linked parameter has no value.
    pub fn edits_of(&self, run: Run) -> Result<Vec<LoggedEdit>, Problem> {
        let mut edits = self.log.clone();
        if self.begins_later() {
            let (step, transaction) = (self.plan.begin.step + 1, edits.last().map_or(1, |last| last.transaction + 1));
            let overrides = self.overrides(run)?.into_iter().filter(|one| one.path != SEED);
            let edit = |Override { path, value }| LoggedEdit { step, edit: Edit::Set { path, value }, transaction };
            edits.extend(overrides.map(edit));
        }
        Ok(edits)
    }

    /// The base scene as a file.
    pub fn scene_text(&self) -> String {
        writer::write(self.recipe.kinds(), &self.scene, Style::Full) + "\n"
    }
}

/// The name under which the scene of a plan is loaded: a file beside the plan comes before a shipped scene beside the
/// shipped plan, and this one before another shipped scene of the name. A shipped plan has shipped scenes only.
fn scene_name(folder: Option<&Path>, scene: &str, is_shipped_plan: bool) -> String {
    let beside = |folder: &Path| {
        let is_shipped = |path: &Path| path.to_str().is_some_and(|name| shipped::get(name).is_some());
        let paths = [folder.join(scene), folder.join(format!("{scene}.ron"))];
        let file = paths.iter().find(|path| path.is_file()).filter(|_| !is_shipped_plan);
        file.or_else(|| paths.iter().find(|path| is_shipped(path))).cloned()
    };
    let name = |path: PathBuf| path.display().to_string();
    folder.and_then(beside).map_or_else(|| scene.to_owned(), name)
}

/// The end of runs: what the plan says, and else what the scene says.
fn stop_of(plan: &Stop, scene: &Stop) -> Stop {
    let has_length = plan.steps > 0 || plan.time_s > 0.0;
    Stop {
        steps: if has_length { plan.steps } else { scene.steps },
        time_s: if has_length { plan.time_s } else { scene.time_s },
        when: if plan.when.is_empty() { scene.when.clone() } else { plan.when.clone() },
    }
}

fn final_value(column: &str) -> Measure {
    Measure { name: column.into(), of: column.into(), ..Measure::default() }
}

/// A problem with a value that stands in a plan: its path is that in the scene.
fn of_value(problem: &Problem) -> String {
    match problem.path.is_empty() {
        true => problem.message.clone(),
        false => format!("{}: {}", shown(&problem.path), problem.message),
    }
}

/// The path of a parameter by places, for comparisons.
fn trail(kinds: &Kinds, scene: &Scene, path: &str) -> Result<Vec<Step>, Problem> {
    path::trail(kinds, scene, &constants::resolve(kinds, scene, path)?)
}
