//! Logs, read back by an own reader that trusts nothing: records, checksums, indexes and messages.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::scene::reader;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use super::file::{MAGIC, opcode};
use super::*;
use crate::standard::Standard as _;

/// Two robots with range sensors that drive, on a floor, with a field, a region and a metric.
const SCENE: &str = r#"(
    seed: 3,
    arena: (size_m: (4.0, 3.0)),
    groups: [
        (
            name: "scout", count: 2, at: [(1.0, 1.0, 0.5), (2.5, 1.5, -2.0)],
            motion: DifferentialDrive(),
            sensors: [
                LaserScanner(window_deg: 90.0, resolution_deg: 30.0, range_m: 2.0, mount: (x_m: 0.1, yaw_rad: 0.25)),
                Infrared(mounts: [(0.1, 0.0, 0.0), (0.0, 0.1, 1.5)]),
                Proximity(rays: 4, range_m: 0.5),
            ],
            controller: Constant(v_m_per_s: 0.2, turn_rad_per_s: 0.4),
        ),
    ],
    objects: [Floor(min_m: (1.0, 0.0), max_m: (3.0, 1.0), columns: 4, lines: 2), Disc(center_m: (2.0, 2.5), radius_m: 0.3)],
    fields: [(name: "scent", initial_per_m2: 2.0)],
    metrics: [AverageSpeed()],
)"#;

fn simulation(threads: usize) -> Simulation {
    let recipe = Recipe::standard();
    Simulation::with(&reader::read(recipe.kinds(), "scouts.ron", SCENE).unwrap(), &recipe, threads).unwrap()
}

/// Logs steps of a simulation to a file in a folder.
fn log_of(simulation: &mut Simulation, folder: &Path, options: &LogOptions, steps: u64) -> PathBuf {
    let path = folder.join("run.mcap");
    let mut log = RunLog::begin(&path, options, simulation).unwrap();
    for _ in 0..steps {
        simulation.step(1);
        log.after_step(simulation).unwrap();
    }
    let counts = log.finish().unwrap();
    assert_eq!(counts.bytes, path.metadata().unwrap().len());
    path
}

fn short(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())
}

fn count(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn long(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

fn number(bytes: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn single(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// The text at a place, and the place after it.
fn text(bytes: &[u8], at: usize) -> (String, usize) {
    let end = at + 4 + count(bytes, at);
    (String::from_utf8(bytes[at + 4..end].to_vec()).unwrap(), end)
}

/// Kinds, places and contents of consecutive records.
fn records(bytes: &[u8], from: usize) -> Vec<(u8, usize, &[u8])> {
    let mut all = Vec::new();
    let mut at = from;
    while at < bytes.len() {
        let end = at + 9 + long(bytes, at + 1);
        all.push((bytes[at], at, &bytes[at + 9..end]));
        at = end;
    }
    assert_eq!(at, bytes.len(), "records fill the file");
    all
}

/// A file that was checked: its topics, each with its type and its messages by time.
#[derive(Default)]
struct Read {
    types: BTreeMap<String, String>,
    messages: BTreeMap<String, Vec<(usize, Vec<u8>)>>,
    definitions: BTreeMap<String, String>,
    qualities: BTreeMap<String, String>,
    chunks: usize,
}

fn read(path: &Path) -> Read {
    let bytes = fs::read(path).unwrap();
    assert!(bytes.starts_with(&MAGIC) && bytes.ends_with(&MAGIC));
    let body = &bytes[..bytes.len() - 8];
    let all = records(body, 8);
    let kinds: Vec<u8> = all.iter().map(|(kind, ..)| *kind).collect();
    assert_eq!((kinds[0], *kinds.last().unwrap()), (opcode::HEADER, opcode::FOOTER));
    assert_eq!(text(all[0].2, 0).0, "ros2");
    // Both checksums.
    let end = kinds.iter().position(|kind| *kind == opcode::DATA_END).unwrap();
    let (_, data_end, checksum) = all[end];
    assert_eq!(count(checksum, 0) as u32, crc32fast::hash(&body[..data_end]));
    let footer = all.last().unwrap().2;
    let (summary, offsets) = (long(footer, 0), long(footer, 8));
    assert_eq!(summary, all[end + 1].1);
    assert_eq!(count(footer, 16) as u32, crc32fast::hash(&body[summary..body.len() - 4]));
    // Schemas and channels.
    let mut read = Read::default();
    let (mut schemas, mut channels) = (BTreeMap::new(), BTreeMap::new());
    for (kind, at, content) in &all[end + 1..] {
        match *kind {
            opcode::SCHEMA => {
                let (name, at) = text(content, 2);
                let (encoding, at) = text(content, at);
                assert_eq!(encoding, "ros2msg");
                read.definitions.insert(name.clone(), text(content, at).0);
                schemas.insert(short(content, 0), name);
            }
            opcode::CHANNEL => {
                let (topic, at) = text(content, 4);
                let (encoding, at) = text(content, at);
                assert_eq!(encoding, "cdr");
                let (key, at) = text(content, at + 4);
                assert_eq!(key, "offered_qos_profiles");
                read.qualities.insert(topic.clone(), text(content, at).0);
                read.types.insert(topic.clone(), schemas[&short(content, 2)].clone());
                channels.insert(short(content, 0), topic);
            }
            opcode::SUMMARY_OFFSET => {
                assert!(*at >= offsets);
                let (start, length) = (long(content, 1), long(content, 9));
                let group = records(&body[..start + length], start);
                assert!(group.iter().all(|(kind, ..)| *kind == content[0]));
            }
            _ => {}
        }
    }
    // Chunks with the indexes of their messages.
    for (index, (kind, at, content)) in all.iter().enumerate() {
        if *kind != opcode::CHUNK {
            continue;
        }
        read.chunks += 1;
        let (compression, place) = text(content, 28);
        assert_eq!((compression.as_str(), long(content, place)), ("lz4", content.len() - place - 8));
        let plain = lz4::decompress(&content[place + 8..]);
        assert_eq!((long(content, 16), count(content, 24) as u32), (plain.len(), crc32fast::hash(&plain)));
        let inside = records(&plain, 0);
        let found = inside.iter().filter(|(kind, ..)| *kind == opcode::MESSAGE);
        let mut places: Vec<_> = found.map(|(_, at, message)| (short(message, 0), long(message, 6), *at)).collect();
        for (channel, time, at) in &places {
            let message = &plain[*at + 9 + 22..*at + 9 + long(&plain, at + 1)];
            assert!((long(content, 0)..=long(content, 8)).contains(time));
            read.messages.entry(channels[channel].clone()).or_default().push((*time, message.to_vec()));
        }
        let indexes = all[index + 1..].iter().take_while(|(kind, ..)| *kind == opcode::MESSAGE_INDEX);
        let mut indexed = Vec::new();
        for (_, _, index) in indexes {
            assert_eq!(count(index, 2), index.len() - 6);
            indexed
                .extend((6..index.len()).step_by(16).map(|at| (short(index, 0), long(index, at), long(index, at + 8))));
        }
        places.sort_unstable();
        indexed.sort_unstable();
        assert_eq!(indexed, places);
        let is_of_chunk =
            |(kind, _, index): &&(u8, usize, &[u8])| *kind == opcode::CHUNK_INDEX && long(index, 16) == *at;
        let (_, _, index) = all.iter().find(is_of_chunk).unwrap();
        assert_eq!(long(index, 24), 9 + content.len());
        assert_eq!(index[..16], content[..16]);
        // The place of the first index of messages.
        assert!(count(index, 32) > 0 && body[long(index, 38)] == opcode::MESSAGE_INDEX);
    }
    let (_, _, statistics) = all.iter().find(|(kind, ..)| *kind == opcode::STATISTICS).unwrap();
    assert_eq!(long(statistics, 0), read.messages.values().map(Vec::len).sum::<usize>());
    assert_eq!((short(statistics, 8) as usize, count(statistics, 10)), (schemas.len(), channels.len()));
    assert_eq!(count(statistics, 22), read.chunks);
    read
}

/// The transforms of a message: parent, child and the seven numbers.
fn transforms(message: &[u8]) -> Vec<(String, String, [f64; 7])> {
    let fields = &message[4..];
    let mut at = 4;
    let name = |at: usize| {
        let (text, end) = text(fields, at);
        (text.trim_end_matches('\0').to_owned(), end.next_multiple_of(4))
    };
    let one = |_| {
        let (parent, after) = name(at + 8);
        let (child, after) = name(after);
        let start = after.next_multiple_of(8);
        at = start + 56;
        (parent, child, std::array::from_fn(|place| number(fields, start + 8 * place)))
    };
    let all = (0..count(fields, 0)).map(one).collect();
    assert_eq!(at, fields.len());
    all
}

#[test]
fn a_log_has_the_poses_of_all_robots_with_checksums_and_indexes() {
    let folder = tempfile::tempdir().unwrap();
    let mut simulation = simulation(1);
    let options = LogOptions { rate: Some(LogRate::EveryStep), topics: None };
    let read = read(&log_of(&mut simulation, folder.path(), &options, 40));
    let tf = &read.messages["/tf"];
    assert_eq!(tf.len(), 41);
    assert_eq!(tf[40].0, 1_000_000_000);
    for ((parent, child, numbers), agent) in transforms(&tf[40].1).into_iter().zip(simulation.agents()) {
        let (at, heading_rad) = (agent.pose.position_m, agent.pose.heading_rad);
        assert_eq!((parent.as_str(), child), ("world", agent.name()));
        assert_eq!(numbers[..5], [at.x, at.y, 0.0, 0.0, 0.0], "positions are exact");
        let turned_rad = 2.0 * swarmarium_base::math::atan2(numbers[5], numbers[6]);
        assert!((turned_rad - heading_rad).abs() < 1e-6);
    }
    let names: Vec<&str> = read.types.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "/bodies",
            "/field/scent",
            "/field/scent/full",
            "/floor/_0",
            "/metrics/average_speed_m_per_s",
            "/scout_0/infrared_0",
            "/scout_0/infrared_1",
            "/scout_0/laser_scanner",
            "/scout_0/proximity",
            "/scout_1/infrared_0",
            "/scout_1/infrared_1",
            "/scout_1/laser_scanner",
            "/scout_1/proximity",
            "/tf",
            "/tf_static",
        ]
    );
    // Topics that seldom change are there for late subscribers.
    let is_latched = |(_, quality): &(&String, &String)| quality.contains("  durability: 1\n");
    let latched: Vec<_> = read.qualities.iter().filter(is_latched).map(|(topic, _)| topic.as_str()).collect();
    assert_eq!(latched, ["/bodies", "/floor/_0", "/tf_static"]);
    // Every type in a definition is defined after it.
    for (name, definition) in &read.definitions {
        let fields = definition.lines().filter_map(|line| line.split_whitespace().next());
        for part in fields.filter(|field| field.contains('/')).map(|field| field.trim_end_matches("[]")) {
            assert!(definition.contains(&format!("\nMSG: {part}\n")), "{name}: {part}");
        }
    }
}

#[test]
fn scans_are_the_readings_in_the_frames_of_the_sensors() {
    let folder = tempfile::tempdir().unwrap();
    let mut simulation = simulation(1);
    let options = LogOptions { rate: Some(LogRate::EveryStep), topics: Some("scans".parse().unwrap()) };
    let read = read(&log_of(&mut simulation, folder.path(), &options, 3));
    let readings: Vec<_> = simulation.agent(0).unwrap().readings().map(<[f64]>::to_vec).collect();
    let scan = |topic: &str| {
        let message = &read.messages[topic].last().unwrap().1[4..];
        let (frame, end) = text(message, 8);
        let at = end.next_multiple_of(4);
        let ranges = (0..count(message, at + 28)).map(|ray| single(message, at + 32 + 4 * ray)).collect::<Vec<_>>();
        (frame, [0, 4, 8, 20, 24].map(|place| single(message, at + place)), ranges)
    };
    let (frame, head, ranges) = scan("/scout_0/laser_scanner");
    assert_eq!(frame, "scout-0/laser_scanner\0");
    let quarter = std::f32::consts::FRAC_PI_4;
    assert_eq!(head, [-quarter, quarter, std::f32::consts::FRAC_PI_6, 0.0, 2.0]);
    let expected = readings[0].iter().map(|reading| if *reading < 2.0 { *reading as f32 } else { f32::INFINITY });
    assert_eq!(ranges, expected.collect::<Vec<_>>());
    assert!(ranges.iter().any(|range| range.is_finite()), "{ranges:?}");
    // Rays from the edge of the body are as long as from its centre.
    let (_, head, ranges) = scan("/scout_0/proximity");
    assert_eq!(head[3..], [0.1, 0.6]);
    let expected = readings[2].iter().map(|reading| match *reading {
        0.0 => f32::INFINITY,
        reading => (0.1 + (1.0 - reading) * 0.5) as f32,
    });
    assert_eq!(ranges, expected.collect::<Vec<_>>());
    let frames = transforms(&read.messages["/tf_static"][0].1);
    let of = |name: &str| frames.iter().find(|(_, child, _)| child == name).unwrap();
    let (parent, _, numbers) = of("scout-0/laser_scanner");
    assert_eq!(
        (parent.as_str(), numbers[0], numbers[5]),
        ("scout-0", 0.1, f64::from(swarmarium_base::math::direction(0.125).y as f32))
    );
    assert_eq!(of("scout-1/infrared_1").2[..3], [0.0, 0.1, 0.0]);
}

#[test]
fn floors_are_written_once_and_dark_cells_are_occupied() {
    let folder = tempfile::tempdir().unwrap();
    let mut simulation = simulation(1);
    let read = read(&log_of(&mut simulation, folder.path(), &LogOptions::default(), 90));
    let [(0, message)] = &read.messages["/floor/_0"][..] else { panic!("the floor does not change") };
    let (info, end) = (&message[4..], message.len());
    let at = text(info, 8).1.next_multiple_of(4);
    assert_eq!((single(info, at + 8), count(info, at + 12), count(info, at + 16)), (0.5, 4, 2));
    assert_eq!(message[end - 8..], [0, 100, 0, 100, 100, 0, 100, 0]);
    // Fields are less frequent than poses: they have not changed since the start here.
    assert_eq!(read.messages["/field/scent"].len(), 1);
    assert_eq!(read.messages["/tf"].len(), 68, "30 times per second, and the start");
    assert_eq!(read.messages["/metrics/average_speed_m_per_s"].len(), 67);
}

#[test]
fn equal_runs_have_equal_bytes_for_any_number_of_threads() {
    let bytes = |threads: usize| {
        let folder = tempfile::tempdir().unwrap();
        let topics = Some("poses,scans,floors,fields,bodies,links,log,metrics".parse().unwrap());
        let options = LogOptions { rate: Some(LogRate::EveryStep), topics };
        fs::read(log_of(&mut simulation(threads), folder.path(), &options, 200)).unwrap()
    };
    let one = bytes(1);
    assert!(one == bytes(1) && one == bytes(2) && one.len() > 10_000);
}

#[test]
fn large_logs_have_several_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let mut file = FileWriter::begin(fs::File::create(&path).unwrap(), "test").unwrap();
    let schema = file.schema("a/msg/B", || "uint8[] data\n".into());
    let channel = file.channel(schema, "/a", false);
    for time in 0..3000u32 {
        let noise: Vec<u8> = (0..1000u32).map(|byte| (byte.wrapping_mul(time | 1) >> 3) as u8).collect();
        file.message(channel, u64::from(time), &noise).unwrap();
    }
    assert!(file.message(7, 0, &[]).is_err());
    file.finish().unwrap();
    let read = read(&path);
    assert_eq!((read.chunks, read.messages["/a"].len()), (3, 3000));
}

#[test]
fn robots_that_come_and_go_change_poses_and_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let mut simulation = simulation(1);
    let mut log =
        RunLog::begin(&path, &LogOptions { rate: Some(LogRate::EveryStep), topics: None }, &simulation).unwrap();
    let mut step = |simulation: &mut Simulation| {
        simulation.step(1);
        log.after_step(simulation).unwrap();
    };
    step(&mut simulation);
    simulation.apply(Edit::Remove { path: "agents.0".into() }).unwrap();
    step(&mut simulation);
    log.finish().unwrap();
    let read = read(&path);
    let tf = &read.messages["/tf"];
    let names = |at: usize| transforms(&tf[at].1).into_iter().map(|(_, child, _)| child).collect::<Vec<_>>();
    assert_eq!(names(1), ["scout-0", "scout-1"]);
    assert_eq!(names(2).len(), 1);
    assert_eq!(read.messages["/bodies"].len(), 2, "the start, and the removal");
}

#[test]
fn changes_wait_for_the_next_time_that_a_topic_is_due() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let mut simulation = simulation(1);
    let topics = Some("poses=step,scans=2,bodies=2".parse().unwrap());
    let mut log = RunLog::begin(&path, &LogOptions { rate: None, topics }, &simulation).unwrap();
    let edits = [
        "Spawn(group: \"scout\", x_m: 3.0, y_m: 2.0, heading_rad: 0.0)",
        "Fault(agent: 0, failure: Total, is_active: true)",
    ];
    let edits = edits.map(|edit| format!("[(step: 1, edit: {edit})]"));
    for edit in edits.iter().flat_map(|text| swarmarium_simulation::edit::log::read("edit", text).unwrap()) {
        simulation.apply(edit.edit).unwrap();
    }
    for _ in 0..20 {
        simulation.step(1);
        log.after_step(&simulation).unwrap();
    }
    assert_eq!(simulation.agents().filter(AgentView::is_dead).count(), 1);
    log.finish().unwrap();
    let read = read(&path);
    let times = |topic: &str| read.messages[topic].iter().map(|(time, _)| *time).collect::<Vec<_>>();
    assert_eq!(times("/tf").len(), 21);
    assert_eq!(times("/scout_0/proximity"), [0, 500_000_000]);
    assert_eq!(times("/scout_2/proximity"), [500_000_000], "the new robot");
    assert_eq!(times("/tf_static"), [0, 500_000_000]);
    assert_eq!(times("/bodies"), [0, 500_000_000]);
    // The new body, and the colour of the dead one.
    assert_eq!(count(&read.messages["/bodies"][1].1, 4), 2);
}

#[test]
fn lists_without_lines_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let options = LogOptions { rate: None, topics: Some("links".parse().unwrap()) };
    let read = read(&log_of(&mut simulation(1), folder.path(), &options, 1));
    let fields = &read.messages["/links"][0].1[4..];
    let (frame, end) = text(fields, 12);
    let (list, end) = text(fields, end.next_multiple_of(4));
    let action = end.next_multiple_of(4) + 8;
    assert_eq!((frame.as_str(), list.as_str(), count(fields, action)), ("world\0", "sight\0", 2));
}

#[test]
fn logs_that_are_dropped_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut simulation = simulation(1);
    let mut log = RunLog::begin(&folder.path().join("a.mcap"), &LogOptions::default(), &simulation).unwrap();
    for _ in 0..30 {
        simulation.step(1);
        log.after_step(&simulation).unwrap();
    }
    drop(log);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn paths_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |path: &Path| {
        let error = check_path(path, Some("--overwrite")).unwrap_err().to_string();
        error.replace(&folder.path().display().to_string(), "F")
    };
    fs::write(folder.path().join("there.mcap"), "x").unwrap();
    assert_eq!(refused(&folder.path().join("there.mcap")), "F/there.mcap: exists already; --overwrite replaces it");
    assert_eq!(refused(&folder.path().join("no/a.mcap")), "F/no/a.mcap: cannot be written: there is no folder F/no");
    assert_eq!(refused(&folder.path().join("a.txt")), "F/a.txt: expected a file `.mcap`");
    assert_eq!(refused(folder.path()), "F: is a folder: expected a file such as F/run.mcap");
    assert!(check_path(&folder.path().join("there.mcap"), None).is_ok());
    assert!(check_path(Path::new("new.mcap"), Some("--overwrite")).is_ok());
}

#[test]
fn a_run_that_goes_back_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut simulation = simulation(1);
    let snapshot = simulation.snapshot();
    let mut log = RunLog::begin(&folder.path().join("a.mcap"), &LogOptions::default(), &simulation).unwrap();
    simulation.step(1);
    log.after_step(&simulation).unwrap();
    simulation.restore(&snapshot).unwrap();
    simulation.step(1);
    let error = log.after_step(&simulation).unwrap_err().to_string();
    assert!(
        error.ends_with("a.mcap: the run went back to step 1: a log goes forwards only, from step 1 on"),
        "{error}"
    );
    // What was written before stays.
    assert_eq!(log.finish().unwrap().messages, 14);
}

/// A disk that is full after some bytes.
struct FullDisk(usize);

impl std::io::Write for FullDisk {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.checked_sub(bytes.len()) {
            Some(rest) => self.0 = rest,
            None => return Err(std::io::ErrorKind::StorageFull.into()),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_at_any_byte() {
    let write = |bytes: usize| {
        let mut file = FileWriter::begin(FullDisk(bytes), "test")?;
        file.metadata("m", &[("a", "b".into())])?;
        let schema = file.schema("a/msg/B", || "uint8 data\n".into());
        let channel = file.channel(schema, "/a", false);
        (0..10).try_for_each(|time| file.message(channel, time, &[1]))?;
        file.finish().map(|(_, counts)| counts.bytes)
    };
    let size = write(usize::MAX).unwrap() as usize;
    assert!((0..size).step_by(7).all(|bytes| write(bytes).is_err()) && write(size).is_ok());
}
