//! Tests of `lab_state::app::key_file`.

use std::fs;

use bevy_egui::egui::Key;
use egui_kittest::kittest::Queryable as _;
use swarmarium_lab_testing::{lab_on, window};

#[test]
fn the_window_reloads_a_changed_key_file() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("new/keys.ron");
    let mut lab = lab_on("milling");
    lab.files.places.keys = Some(path.clone());
    let (mut window, lab) = window(lab);
    {
        let lab = &mut *lab.borrow_mut();
        lab.shell.edit_keys(&lab.files.places, &mut lab.notices);
    };
    assert!(path.exists());
    fs::write(&path, "[(\"Hide or show the interface\", [\"F5\"]), (\"No such\", [])]").unwrap();
    {
        let lab = &mut *lab.borrow_mut();
        lab.shell.read_keys(&lab.files.places, &mut lab.notices);
    };
    window.run_steps(2);
    window.get_by_label_contains("has keys that are not valid");
    window.key_press(Key::F5);
    window.run_steps(2);
    assert!(!lab.borrow().shell.settings.panels);
    window.key_press_modifiers(bevy_egui::egui::Modifiers::SHIFT, Key::F11);
    window.run_steps(2);
    assert!(!lab.borrow().shell.settings.panels, "the usual key does nothing now");
    fs::remove_file(&path).unwrap();
    {
        let lab = &mut *lab.borrow_mut();
        lab.shell.read_keys(&lab.files.places, &mut lab.notices);
    };
    window.key_press_modifiers(bevy_egui::egui::Modifiers::SHIFT, Key::F11);
    window.run_steps(2);
    assert!(lab.borrow().shell.settings.panels);
    assert!(lab.borrow().notices.iter().all(|notice| !notice.is_error));
}
