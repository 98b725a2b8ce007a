//! Choices of a row: kinds, variants and names in a list with a search.

use std::collections::HashMap;

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::reflect::enums::VariantInfo;
use bevy::reflect::{NamedField, TypeInfo};
use bevy_egui::egui::{Align, Button, ComboBox, Key, PopupCloseBehavior, ScrollArea, TextEdit, Ui};
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{Family as _, Kinds};
use swarmarium_core::sensor::SensorFamily;
use swarmarium_core::text::values::{integer_range, number};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::matcher::Query;
use swarmarium_lab_state::common::text::kind_label;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_scene::scene::describe;
use swarmarium_scene::scene::reader::default_of;
use swarmarium_simulation::edit::agents;

use crate::parameters::Marks;
use crate::parameters::drafts::RowContext;
use crate::parameters::hints::hinted;
use crate::parameters::open_list::{Choice, OpenList};
use crate::parameters::row::text_of;
use crate::parameters::rows::Node;

/// Maximum height of a list of choices, in points; longer ones scroll.
const MENU_PX: f32 = 440.0;

/// Lists of at least this many choices have a search.
const MANY: usize = 12;

/// Parts of a new variant that are described inside each other, at most.
const MOST_NESTED: usize = 4;

/// The beginning of the documentation of a field that contains the index of a sensor.
const SLOT: &str = "Slot of ";

/// Draws a list of choices that opens at the present one. A list of many choices has a search.
pub(super) fn combo(
    ui: &mut Ui,
    context: &mut RowContext,
    node: &Node,
    current: &str,
    (count, options): (usize, impl FnOnce() -> Vec<Choice>),
) {
    let mut chosen = None;
    let path = node.leaf.path.as_str();
    let has_search = count >= MANY;
    let closing = if has_search { PopupCloseBehavior::CloseOnClickOutside } else { PopupCloseBehavior::CloseOnClick };
    let combo = ComboBox::from_id_salt("combo").selected_text(current).width(ui.available_width()).truncate();
    // The list scrolls below its search.
    let combo = combo.height(MENU_PX + 60.0).close_behavior(closing);
    let state = ui.id().with("search of choices");
    let shown = combo.show_ui(ui, |ui| {
        let pass = ui.ctx().cumulative_pass_nr();
        let (last, mut query): (u64, String) = ui.data(|data| data.get_temp(state)).unwrap_or_default();
        let has_opened = last + 1 < pass;
        if has_opened {
            query.clear();
        }
        let mut is_entered = false;
        if has_search {
            let field = ui.add(TextEdit::singleline(&mut query).hint_text("Search").desired_width(f32::INFINITY));
            named(&field, "Search the choices");
            is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if has_opened {
                field.request_focus();
            }
            field.on_hover_text("Words of the name or of the description; Enter selects the first match");
        }
        ui.data_mut(|data| data.insert_temp(state, (pass, query.clone())));
        let marks = Marks::of(context.lab);
        let mut list = context
            .drafts
            .open_list
            .take()
            .filter(|list| list.is_for(path, &marks))
            .unwrap_or_else(|| OpenList { path: path.into(), marks, options: options(), refusals: HashMap::new() });
        let query = Query::new(&query);
        // Descriptions are searched if no name matches.
        let is_named = list.options.iter().any(|option| query.is_in(&option.name));
        let is_found = |option: &Choice| query.is_in(if is_named { &option.name } else { &option.about });
        let wanted = |(_, option): &(usize, &Choice)| query.is_empty() || is_found(option);
        ScrollArea::vertical().max_height(MENU_PX).id_salt("choices").show(ui, |ui| {
            let mut first = true;
            for (place, Choice { name, about, text }) in list.options.iter().enumerate().filter(wanted) {
                let is_current = name == current;
                let refusal = match is_current {
                    true => None,
                    false => list.refusals.entry(place).or_insert_with(|| context.refusal(path, text)).clone(),
                };
                let about = if about.is_empty() { format!("Selects {name}") } else { about.clone() };
                let button = Button::selectable(is_current, name);
                let option = ui.add_enabled(refusal.is_none(), button).on_hover_text(about);
                if is_current && has_opened {
                    option.scroll_to_me(Some(Align::Center));
                }
                let is_first = first && refusal.is_none();
                first &= !is_first;
                let option = option.on_disabled_hover_text(refusal.unwrap_or_default());
                if option.clicked() || (is_first && is_entered && !query.is_empty()) {
                    chosen = (!is_current).then(|| text.clone());
                    ui.close();
                }
            }
        });
        context.drafts.open_list = Some(list);
    });
    named(&shown.response, &node.label());
    hinted(shown.response, context, node);
    if let Some(text) = chosen {
        context.set(path, &text);
    }
}

/// Returns the choices of a value of names only.
pub(super) fn names(value: &dyn Reflect) -> Vec<Choice> {
    let names = value.reflect_type_info().as_enum().map(|info| info.variant_names()).unwrap_or_default();
    let choice = |(index, name): (usize, &&str)| Choice {
        name: (*name).to_owned(),
        about: variant_about(value, index),
        text: (*name).to_owned(),
    };
    names.iter().enumerate().map(choice).collect()
}

fn variant_about(value: &dyn Reflect, index: usize) -> String {
    let info = value.reflect_type_info().as_enum().ok().and_then(|info| info.variant_at(index));
    describe::trim(info.and_then(|info| info.docs()))
}

/// Returns the variants of a value with parts: the opened one as it was, the default one with its default, and others
/// with usual values.
pub(super) fn variants(kinds: &Kinds, node: &Node) -> Vec<Choice> {
    let value = node.leaf.value;
    let Ok(info) = value.reflect_type_info().as_enum() else { return Vec::new() };
    let default = default_of(kinds, value.as_any().type_id());
    let known = [node.before, node.default, default.as_deref()];
    let choice = |(index, variant): (usize, &VariantInfo)| {
        let is_this = |value: &&dyn Reflect| {
            value.reflect_ref().as_enum().is_ok_and(|value| value.variant_name() == variant.name())
        };
        let text = known.into_iter().flatten().find(is_this).map(|value| text_of(kinds, value));
        let text = text.or_else(|| usual_variant(kinds, variant, node.leaf.limits, 0))?;
        Some(Choice { name: variant.name().to_owned(), about: variant_about(value, index), text })
    };
    info.iter().enumerate().filter_map(choice).collect()
}

/// Returns the text of a variant with usual values; `None` if there are none.
fn usual_variant(kinds: &Kinds, variant: &VariantInfo, limits: Option<Limits>, depth: usize) -> Option<String> {
    let usual = |info: Option<&'static TypeInfo>, own: Option<Limits>| usual(kinds, info?, own.or(limits), depth + 1);
    let parts: Option<Vec<String>> = match variant {
        VariantInfo::Unit(_) => return Some(variant.name().to_owned()),
        VariantInfo::Struct(fields) => {
            let part = |field: &NamedField| {
                let own = field.get_attribute::<Limits>().copied();
                Some(format!("{}: {}", field.name(), usual(field.type_info(), own)?))
            };
            fields.iter().map(part).collect()
        }
        VariantInfo::Tuple(fields) => fields.iter().map(|field| usual(field.type_info(), None)).collect(),
    };
    Some(format!("{}({})", variant.name(), parts?.join(", ")))
}

/// Returns the text of a usual value of a type: 1 or the nearest allowed number, a small triangle for corners, and
/// otherwise the default.
fn usual(kinds: &Kinds, info: &'static TypeInfo, limits: Option<Limits>, depth: usize) -> Option<String> {
    let is = |type_id| info.type_id() == type_id;
    let one = limits.map_or(1.0, |limits| 1.0_f64.min(limits.max).max(limits.min));
    if is(std::any::TypeId::of::<f64>()) || is(std::any::TypeId::of::<f32>()) {
        return Some(format!("{one:?}"));
    }
    if integer_range(info.type_id()).is_some() {
        return Some(format!("{:.0}", limits.map_or(0.0, |_| one)));
    }
    if is(std::any::TypeId::of::<Vec<DVec2>>()) {
        return Some("[(0.1, 0.0), (-0.1, 0.1), (-0.1, -0.1)]".into());
    }
    if is(std::any::TypeId::of::<DVec2>()) {
        return Some("(0.0, 0.0)".into());
    }
    if is(std::any::TypeId::of::<String>()) {
        return Some("\"\"".into());
    }
    if let Some(default) = default_of(kinds, info.type_id()) {
        return Some(text_of(kinds, &*default));
    }
    let first = info.as_enum().ok()?.variant_at(0).filter(|_| depth < MOST_NESTED)?;
    usual_variant(kinds, first, limits, depth)
}

/// Returns the text for an optional value that is switched on: its last value, that of the opened scene, the default, or
/// a usual one within the range of its control.
pub(super) fn value_when_on(context: &RowContext, node: &Node) -> String {
    let kinds = context.lab.run.host.simulation().kinds();
    let path = node.leaf.path.as_str();
    if let Some(kept) = context.drafts.kept(path) {
        return kept.to_owned();
    }
    let known = [node.before, node.default].into_iter().flatten();
    let known = known.map(|known| text_of(kinds, known)).find(|text| text != "None");
    let middle = node.control.and_then(|control| Some(format!("{:?}", (control.min? + control.max?) / 2.0)));
    let some = node.leaf.value.reflect_type_info().as_enum().ok().and_then(|info| info.variant("Some"));
    let some = some.and_then(|some| some.as_tuple_variant().ok()?.field_at(0)?.type_info());
    let usual = some.and_then(|info| usual(kinds, info, node.leaf.limits, 0));
    known.or(middle).or(usual).unwrap_or_default()
}

/// Whether a number is the index of a sensor.
pub(super) fn is_slot(node: &Node) -> bool {
    integer_range(node.leaf.value.as_any().type_id()).is_some() && node.docs().starts_with(SLOT)
}

/// Returns the sensors that a number can name by its index; `None` if it is not such a number.
pub(super) fn slots(context: &RowContext, node: &Node) -> Option<Vec<Choice>> {
    if !is_slot(node) {
        return None;
    }
    let sensors = sensors_around(context.lab, &node.leaf.path)?;
    let choice = |(place, kind): (usize, String)| Choice {
        name: format!("{place}: {kind}"),
        about: format!("Uses sensor {place}, {kind}"),
        text: place.to_string(),
    };
    Some(sensors.into_iter().enumerate().map(choice).collect())
}

/// Returns the name of the present sensor, as in the list.
pub(super) fn slot(node: &Node, slots: &[Choice]) -> String {
    let place = number(node.leaf.value).unwrap_or_default();
    let known = slots.iter().find(|slot| slot.text == place.to_string());
    known.map_or_else(|| format!("{place}: missing"), |slot| slot.name.clone())
}

/// Returns the kinds of the sensors of the group or robot at the beginning of a path.
fn sensors_around(lab: &Lab, path: &str) -> Option<Vec<String>> {
    let simulation = lab.run.host.simulation();
    let mut steps = path.split('.');
    let (list, member) = (steps.next()?, steps.next()?);
    let name = |slot: &swarmarium_core::kind::Slot<SensorFamily>| {
        let kind = simulation.kinds().of_value(SensorFamily::NAME, slot.value());
        kind.map_or_else(String::new, |kind| kind_label(kind.name))
    };
    match list {
        "groups" => {
            let groups = &simulation.scene_ahead().groups;
            let by_place = || member.parse::<usize>().ok().and_then(|place| groups.get(place));
            let group = groups.iter().find(|group| group.name == member).or_else(by_place)?;
            Some(group.sensors.iter().map(name).collect())
        }
        "agents" => {
            let agent = simulation.agent(member.parse().ok()?)?;
            Some(agents::description_ahead(&agent).sensors.iter().map(name).collect())
        }
        _ => None,
    }
}
