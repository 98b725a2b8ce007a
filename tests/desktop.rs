//! The files for desktops on Linux: the entry of the program, and the types of its files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use swarmarium_base::xml;

fn asset(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)).unwrap()
}

#[test]
fn desktop_entry_opens_the_files_whose_types_are_declared() {
    let text = asset("swarmarium.desktop");
    let (group, lines) = text.split_once('\n').unwrap();
    assert_eq!(group, "[Desktop Entry]");
    let entry: BTreeMap<&str, &str> = lines.lines().map(|line| line.split_once('=').unwrap()).collect();
    assert_eq!(entry.len(), lines.lines().count(), "no key is repeated");
    assert_eq!(entry["Type"], "Application");
    assert!(!entry["Name"].is_empty() && !entry["Comment"].is_empty());
    // Without a file, the program opens its first scene.
    assert_eq!(entry["Exec"], "swarmarium %f");
    let icon = asset(&format!("{}.svg", entry["Icon"]));
    assert!(xml::parse(&xml::screened(&icon).unwrap()).unwrap().root_element().has_tag_name("svg"));
    for list in ["Categories", "Keywords", "MimeType"] {
        assert!(entry[list].ends_with(';'), "a list ends with a semicolon: {list}");
    }
    let text = asset("swarmarium-mime.xml");
    let screened = xml::screened(&text).unwrap();
    let document = xml::parse(&screened).unwrap();
    let types = document.root_element().children().filter(|node| node.has_tag_name("mime-type"));
    let declared: BTreeMap<&str, &str> = types
        .map(|node| {
            let glob = node.children().find(|child| child.has_tag_name("glob")).unwrap();
            (node.attribute("type").unwrap(), glob.attribute("pattern").unwrap())
        })
        .collect();
    let opened: Vec<&str> = entry["MimeType"].split_terminator(';').collect();
    assert_eq!(opened, declared.keys().copied().collect::<Vec<_>>());
    assert_eq!(declared.into_values().collect::<Vec<_>>(), ["*.ron", "*.swarm"]);
}
