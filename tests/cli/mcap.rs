//! `--mcap`: logs of messages of ROS 2.

use super::*;

/// The messages in a file, as the summary line says them.
fn summary(said: &Said) -> &str {
    said.stderr.lines().find(|line| line.contains(" messages on ")).unwrap_or_default()
}

#[test]
fn a_run_writes_a_log_and_replaces_it_only_on_request() {
    let place = Place::new();
    let said = place.expect(0, "run milling --steps 40 -o one --mcap a.mcap");
    assert!(summary(&said).starts_with("a.mcap: 122 messages on 5 topics, "), "{}", said.stderr);
    let first = fs::read(place.path("a.mcap")).unwrap();
    let refused = |arguments: &str| place.expect(2, arguments).stderr;
    assert_eq!(
        refused("run milling --steps 40 -o two --mcap a.mcap").trim_end(),
        "error: a.mcap: exists already; --overwrite replaces it"
    );
    assert_eq!(
        refused("run milling --steps 40 -o two --mcap no/a.mcap").trim_end(),
        "error: no/a.mcap: cannot be written: there is no folder no"
    );
    assert!(refused("run milling --steps 40 -o two --mcap-rate 5").contains("--mcap"));
    assert!(refused("run milling --seeds 1..=3 --steps 5 --mcap b.mcap").contains("--mcap"));
    assert!(refused("run milling --mcap b.mcap --mcap-topics pose").contains("did you mean `poses`?"));
    assert!(!place.has("two") && !place.has("b.mcap"));
    // The same run has the same bytes, for any number of threads.
    place.expect(0, "run milling --steps 40 -o one --mcap a.mcap --overwrite --threads 2 --quiet");
    assert!(fs::read(place.path("a.mcap")).unwrap() == first);
    // Without a folder, `--overwrite` has an effect, too.
    place.expect(0, "run milling --steps 40 --mcap a.mcap --overwrite --quiet");
    assert!(fs::read(place.path("a.mcap")).unwrap() == first);
}

#[test]
fn topics_and_rates_choose_messages() {
    let place = Place::new();
    let logged = |flags: &str| {
        let said = place.expect(0, &format!("run milling --steps 40 -o out --mcap a.mcap --overwrite {flags}"));
        let text = summary(&said).split(", ").next().unwrap_or_default().to_owned();
        text.trim_start_matches("a.mcap: ").to_owned()
    };
    assert_eq!(logged("--mcap-topics poses"), "31 messages on 1 topic");
    assert_eq!(logged("--mcap-topics poses --mcap-rate step"), "41 messages on 1 topic");
    assert_eq!(logged("--mcap-topics poses=10,metrics=step"), "131 messages on 4 topics");
}

#[test]
fn the_log_of_a_moment_begins_there() {
    let place = Place::new();
    place.expect(0, "run milling --steps 40 -o one --quiet");
    let said = place.expect(0, "run one --at 30 --steps 10 -o two --mcap a.mcap --mcap-topics poses --mcap-rate step");
    assert!(summary(&said).starts_with("a.mcap: 11 messages"), "{}", said.stderr);
}

#[cfg(feature = "video")]
#[test]
fn a_recorder_writes_a_log_beside_the_video() {
    let place = Place::new();
    let record = "record milling --size 160x90 --fps 10 --frames 11";
    let said = place.expect(0, &format!("{record} -o a.gif --mcap a.mcap"));
    // The second of the video.
    assert!(summary(&said).starts_with("a.mcap: 122 messages on 5 topics, "), "{}", said.stderr);
    place.expect(0, "run milling --steps 40 -o run --mcap b.mcap --quiet");
    assert!(fs::read(place.path("a.mcap")).unwrap() == fs::read(place.path("b.mcap")).unwrap());
    let said = place.expect(2, &format!("{record} -o c.mcap"));
    assert_eq!(
        said.stderr.trim_end(),
        "error: c.mcap: is not a video: `--mcap c.mcap` writes it beside one, and `swarmarium run --mcap c.mcap` without one"
    );
    let said = place.expect(2, &format!("{record} -o a.gif --overwrite --mcap ./a.gif"));
    assert!(said.stderr.contains("a.gif: expected a file `.mcap`"), "{}", said.stderr);
    let said = place.expect(2, &format!("{record} -o d.gif --frame-hashes d.mcap --mcap ./d.mcap"));
    assert!(said.stderr.contains("cannot be both the MCAP file and the table of hashes"), "{}", said.stderr);
}
