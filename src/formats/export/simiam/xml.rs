//! The text of a world: elements in the order of pySimiam's documented grammar, numbers in their shortest exact form.

use std::fmt::{self, Write as _};

use serde_json::Value;
use swarmarium_core::agent::placement::Placement;

use crate::import::simiam::color::Color;
use crate::import::simiam::world::{Class, Outline, World};

/// Writes a world.
pub fn text(world: &World) -> String {
    let mut text = String::new();
    // Writing to a text cannot fail.
    _ = write_world(world, &mut text);
    text
}

fn write_world(world: &World, out: &mut String) -> fmt::Result {
    let World { robots, obstacles, markers } = world;
    out.write_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<simulation>\n")?;
    for robot in robots {
        writeln!(out, "    <robot{}{}>", Attributes(&robot.class), Colored(robot.color))?;
        write!(out, "        <supervisor{}", Attributes(&robot.supervisor))?;
        if let Some(goal_m) = robot.goal_m {
            write!(out, " goalX=\"{}\" goalY=\"{}\"", Short(goal_m.x), Short(goal_m.y))?;
        }
        out.write_str("/>\n")?;
        write_pose(robot.pose, out)?;
        out.write_str("    </robot>\n")?;
    }
    for (tag, outlines) in [("obstacle", obstacles), ("marker", markers)] {
        outlines.iter().try_for_each(|outline| write_outline(tag, outline, out))?;
    }
    out.write_str("</simulation>\n")
}

fn write_outline(tag: &str, outline: &Outline, out: &mut String) -> fmt::Result {
    writeln!(out, "    <{tag}{}>", Colored(outline.color))?;
    write_pose(outline.pose, out)?;
    out.write_str("        <geometry>\n")?;
    for point in &outline.points {
        writeln!(out, "            <point x=\"{}\" y=\"{}\"/>", Short(point.x), Short(point.y))?;
    }
    writeln!(out, "        </geometry>\n    </{tag}>")
}

fn write_pose(pose: Placement, out: &mut String) -> fmt::Result {
    let Placement { x_m, y_m, heading_rad } = pose;
    let [x, y, theta] = [x_m, y_m, heading_rad].map(Short);
    writeln!(out, "        <pose x=\"{x}\" y=\"{y}\" theta=\"{theta}\"/>")
}

/// A number in the shortest form that reads back to the same bits.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = format!("{:?}", self.0);
        f.write_str(text.strip_suffix(".0").unwrap_or(&text))
    }
}

/// The attributes that name a class.
struct Attributes<'a>(&'a Class);

impl fmt::Display for Attributes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Class { name, options, .. } = self.0;
        if let Some(name) = name {
            write!(f, " type=\"{}\"", Escaped(name))?;
        }
        if let Some(options) = options {
            write!(f, " options=\"{}\"", Escaped(&Value::Object(options.clone()).to_string()))?;
        }
        Ok(())
    }
}

/// The attribute with a colour.
struct Colored(Option<Color>);

impl fmt::Display for Colored {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.map_or(Ok(()), |color| write!(f, " color=\"{}\"", color.hex()))
    }
}

/// A text within quotes.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\t' | '\n' | '\r' => write!(f, "&#{};", u32::from(c)),
            // XML cannot represent the other control characters.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => f.write_char('\u{fffd}'),
            c => f.write_char(c),
        })
    }
}
