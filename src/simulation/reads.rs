//! What hosts read of a simulation beside its agents: commands, readings, geometry, sources of random numbers, the past.

use swarmarium_core::agent::Command;
use swarmarium_core::random::Chain;
use swarmarium_core::step::find_agent;
use swarmarium_draw::{Past, TrailLength};
use swarmarium_space::Space;

use crate::read_view::ReadView;
use crate::simulation::Simulation;

impl Simulation {
    /// The present state, for many reads.
    ///
    /// ```
    /// # use swarmarium_simulation::prelude::*;
    /// # let scene = Scene { groups: vec![Group { name: "g".into(), count: 2, ..Group::default() }], ..Scene::default() };
    /// # let mut simulation = Simulation::with(&scene, &Recipe::bare(), 1).unwrap();
    /// let view = simulation.read();
    /// assert_eq!(view.agents().count(), 2);
    /// assert_eq!(view.row_of(1), Some(1));
    /// ```
    pub fn read(&self) -> ReadView<'_> {
        ReadView::new(self.world())
    }

    /// The commands in force, each with the number of its agent.
    ///
    /// ```
    /// # use swarmarium_simulation::prelude::*;
    /// # use swarmarium_core::controller::constant::Constant;
    /// # let group = Group { name: "g".into(), ..Group::default() };
    /// let controller = Slot::new(Constant { v_m_per_s: 0.5, turn_rad_per_s: 0.0 });
    /// let scene = Scene { groups: vec![Group { controller, ..group }], ..Scene::default() };
    /// let mut simulation = Simulation::with(&scene, &Recipe::bare(), 1)?;
    /// simulation.step(1);
    /// let commands: Vec<_> = simulation.commands().collect();
    /// assert_eq!(commands, [(0, Command::Drive { v_m_per_s: 0.5, turn_rad_per_s: 0.0 })]);
    /// # Ok::<(), swarmarium_base::problem::Problems>(())
    /// ```
    pub fn commands(&self) -> impl Iterator<Item = (u32, Command)> {
        self.read().commands()
    }

    /// The last reading of each sensor of an agent, by slot; none if there is no such agent.
    pub fn readings(&self, agent: u32) -> impl Iterator<Item = &[f64]> {
        self.agent(agent).into_iter().flat_map(|agent| agent.readings())
    }

    /// Bodies, objects and walls, with queries about them.
    pub fn space(&self) -> &Space {
        self.read().space()
    }

    /// The state of the random numbers of `random_source: Classic`, as numpy has it (`state`, `inc`, `uinteger` and
    /// `has_uint32`): of an agent, or of the source of seeds. `None` in other scenes.
    pub fn classic_random_state(&self, agent: Option<u32>) -> Option<(u128, u128, u32, bool)> {
        let ReadView { world, arena } = self.read();
        let chain = match agent {
            None => arena.seed_chain.as_ref()?.0.state(),
            Some(number) => world.get::<Chain>(find_agent(world, number)?)?.0.state(),
        };
        Some(chain)
    }

    /// A number that differs whenever other agents exist.
    pub fn population_tag(&self) -> u64 {
        let agents = &self.read().arena.agents;
        let tag = |sum: u64, bits: u64| sum.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(bits);
        agents.iter().fold(agents.len() as u64, |sum, agent| tag(sum, agent.to_bits()))
    }

    /// A recording of the poses of agents from now on, for overlays that show them.
    pub fn start_past(&self) -> Past {
        Past::for_world(self.world())
    }

    /// Adds the last step to a recording.
    pub fn add_to_past(&self, past: &mut Past, length: TrailLength) {
        past.observe(self.world(), length);
    }
}
