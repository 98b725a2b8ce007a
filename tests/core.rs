//! Parts of the core, with the kinds that come with the program.

mod aim;
mod clients;
mod clock_host;
mod draw_color_by;
mod draw_commands;
mod draw_connections;
mod draw_moment;
mod draw_past;
mod draw_scenery;
mod draw_trails;
mod draw_voronoi;
mod edit;
mod edit_queue;
mod fields;
mod object;
mod pose_overrides;
mod radio_connections;
mod scene_base;
mod scene_constants;
mod scene_writer;
mod turns;
