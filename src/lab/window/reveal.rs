//! The window becomes visible with its first complete picture; before that it would be black or incomplete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bevy::prelude::*;
use bevy::render::render_resource::PipelineCache;
use bevy::render::{Render, RenderApp, RenderSystems};

/// The time after which the window becomes visible in any case.
const LATEST: Duration = Duration::from_secs(1);

/// Whether a complete picture was drawn.
#[derive(Resource, Clone, Default)]
struct Drawn(Arc<AtomicBool>);

/// Adds the systems that show the window.
pub(super) fn plugin(app: &mut App) {
    let drawn = Drawn::default();
    app.insert_resource(drawn.clone()).add_systems(PreUpdate, reveal);
    if let Some(render) = app.get_sub_app_mut(RenderApp) {
        render.insert_resource(drawn).add_systems(Render, look.in_set(RenderSystems::Cleanup));
    }
}

/// Checks whether the picture has content and no pipeline still compiles.
fn look(cache: Res<PipelineCache>, drawn: Res<Drawn>) {
    if cache.pipelines().next().is_some() && cache.waiting_pipelines().next().is_none() {
        drawn.0.store(true, Ordering::Relaxed);
    }
}

fn reveal(drawn: Res<Drawn>, time: Res<Time<Real>>, mut window: Single<&mut Window>) {
    if !window.visible && (drawn.0.load(Ordering::Relaxed) || time.elapsed() > LATEST) {
        window.visible = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_appears_with_a_complete_picture() {
        let mut app = App::new();
        app.init_resource::<Time<Real>>().add_plugins(plugin);
        let window = app.world_mut().spawn(Window { visible: false, ..default() }).id();
        let is_visible = |app: &App| app.world().get::<Window>(window).map(|window| window.visible);
        app.update();
        assert_eq!(is_visible(&app), Some(false));
        app.world().resource::<Drawn>().0.store(true, Ordering::Relaxed);
        app.update();
        assert_eq!(is_visible(&app), Some(true));
    }
}
