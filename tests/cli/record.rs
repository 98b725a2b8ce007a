//! `record`: videos, without a display.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use super::{Place, rows};

/// A second of milling, small.
const SHORT: &str = "record milling --seed 1 --duration 1 --size 320x180 --quiet";

#[test]
fn the_same_video_has_the_same_bytes_whatever_the_threads() {
    let place = Place::new();
    for (name, extra) in [("a.mp4", ""), ("b.mp4", "--threads 1 -j 1"), ("c.mp4", "--threads 2 -j 3")] {
        place.expect(0, &format!("{SHORT} --fps 60 -o {name} {extra}"));
    }
    let read = |name: &str| fs::read(place.path(name)).unwrap();
    assert!(read("a.mp4") == read("b.mp4") && read("a.mp4") == read("c.mp4"));
    assert_eq!(place.names("."), ["a.mp4", "b.mp4", "c.mp4"]);
    place.expect(0, &format!("{} --fps 60 -o d.mp4", SHORT.replace("--seed 1", "--seed 2")));
    assert!(read("a.mp4") != read("d.mp4"));
}

#[test]
fn every_overlay_and_colour_is_the_same_every_time() {
    let place = Place::new();
    let overlays = "grid-labels,names,commands,density,occupancy,voronoi,delaunay";
    for (name, overlays) in [("a", overlays), ("b", overlays), ("c", "none")] {
        let what = format!("--fps 10 -o {name}.apng --overlay {overlays} --color-by speed --frame-hashes {name}.csv");
        place.expect(0, &format!("{SHORT} {what}"));
    }
    assert_eq!(place.read("a.csv"), place.read("b.csv"));
    assert_ne!(place.read("a.csv"), place.read("c.csv"));
    let one = "record milling --seed 1 --from 1 --frames 1 --size 320x180 --quiet";
    let names = ["group", "speed", "state", "reading", "id", "heading"];
    for name in names {
        place.expect(0, &format!("{one} -o {name}.png --color-by {name}"));
    }
    let pictures: std::collections::BTreeSet<_> =
        names.iter().map(|name| fs::read(place.path(&format!("{name}.png"))).unwrap()).collect();
    assert_eq!(pictures.len(), names.len(), "each looks another way");
    let told = place.expect(2, &format!("{one} -o x.png --color-by sped")).stderr;
    assert!(told.contains("did you mean `speed`"), "{told}");
}

/// Width, height and number of frames of a PNG or APNG file, by another decoder; no frame is blank.
fn png_frames(path: &Path) -> (u32, u32, usize) {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let (width, height) = (reader.info().width, reader.info().height);
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let mut frames = 0;
    while let Ok(info) = reader.next_frame(&mut pixels) {
        let frame = &pixels[..info.buffer_size()];
        assert!(frame.chunks(3).any(|pixel| pixel != &frame[..3]), "frame {frames} is blank");
        frames += 1;
    }
    (width, height, frames)
}

/// The same of a GIF file.
fn gif_frames(path: &Path) -> (u16, u16, usize) {
    let mut reader = gif::DecodeOptions::new().read_info(File::open(path).unwrap()).unwrap();
    let (width, height) = (reader.width(), reader.height());
    let mut frames = 0;
    while let Some(frame) = reader.read_next_frame().unwrap() {
        assert!(frame.buffer.iter().any(|place| *place != frame.buffer[0]), "frame {frames} is blank");
        frames += 1;
    }
    (width, height, frames)
}

#[test]
fn every_format_has_the_frames_of_its_time() {
    let place = Place::new();
    for name in ["a.gif", "a.apng", "frames/", "b_%03d.png", "a.mp4"] {
        place.expect(0, &format!("{SHORT} --fps 10 -o {name} --frame-hashes {}.csv", name.replace(['/', '%'], "")));
    }
    assert_eq!(place.names("frames").len(), 10);
    assert_eq!(place.names(".").iter().filter(|name| name.starts_with("b_") && name.ends_with(".png")).count(), 10);
    assert!(fs::read(place.path("a.apng")).unwrap().starts_with(b"\x89PNG") && place.has("a.gif"));
    for (file, frames) in [("frames/frame_00003.png", 1), ("b_009.png", 1), ("a.apng", 10)] {
        assert_eq!(png_frames(&place.path(file)), (320, 180, frames), "{file}");
    }
    assert_eq!(gif_frames(&place.path("a.gif")), (320, 180, 10));
    // The frames are the same before they are encoded, and no two in a row are.
    let hashes = rows(&place.read("a.gif.csv"));
    assert_eq!(hashes.len(), 11);
    assert_eq!(&hashes[0], &["frame", "t_s", "hash"].map(str::to_owned).to_vec());
    assert_eq!(hashes[3][0].as_str(), "2");
    assert_eq!(hashes[3][1].as_str(), "0.2");
    assert!(hashes[1..].windows(2).all(|pair| pair[0][2] != pair[1][2]));
    for other in ["a.apng.csv", "frames.csv", "a.mp4.csv"] {
        assert_eq!(rows(&place.read(other)), hashes, "{other}");
    }
}

#[test]
fn a_scene_says_how_many_frames_its_video_has() {
    let place = Place::new();
    for (name, extra, frames) in [("a.gif", "", 7), ("b.gif", "--frames 3", 3), ("c.gif", "--duration 0.2", 6)] {
        let set = "--set view.movie_frames=7";
        place.expect(0, &format!("record milling --size 320x180 --quiet {set} -o {name} {extra}"));
        assert_eq!(gif_frames(&place.path(name)).2, frames, "{name}");
    }
    // An earlier run is shown to its end.
    place.expect(0, "run milling --quiet --duration 0.4 --set view.movie_frames=3 -o run");
    place.expect(0, "record run --size 320x180 --quiet --fps 10 -o run.gif");
    assert_eq!(gif_frames(&place.path("run.gif")).2, 4);
}

#[test]
fn the_trail_flag_leaves_other_fields_with_the_same_constant() {
    let place = Place::new();
    place.write(
        "s.ron",
        "(constants: [(name: \"T\", value: 0.5)], stop: (time_s: T), groups: [
            (name: \"a\", controller: Constant(v_m_per_s: 1.0), look: (trail_s: T))])",
    );
    place.expect(0, "record s.ron --size 320x180 --quiet --fps 10 --trail 2 -o a.gif");
    assert_eq!(gif_frames(&place.path("a.gif")).2, 5);
}

/// The message of a refused command, without the notes on usage.
fn refused(place: &Place, arguments: &str) -> String {
    let mut command = place.command(&format!("record milling --duration 100000 {arguments}"));
    // No program can be found, such as ffmpeg.
    let said = command.env("PATH", "").output().unwrap();
    assert_eq!(said.status.code(), Some(2), "{arguments}");
    let text = String::from_utf8(said.stderr).unwrap();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.contains("--help"));
    lines.map(|line| format!("  {line}\n")).collect()
}

#[test]
fn recording_is_refused_before_anything_long_starts() {
    let place = Place::new();
    place.write("there.mp4", "a film");
    let all = [
        "-o none/a.mp4",
        "-o there.mp4/a.mp4",
        "-o there.mp4",
        "-o a.mkv",
        "-o a.png",
        "-o a.webm --encoder ffmpeg",
        "-o a.mp4 --encoder fmpeg",
        "-o a.mp4 --size 0x0",
        "-o a.mp4 --size 100000x100000",
        "-o a.mp4 --size 8000x8000",
        "-o a.mp4 --frames 0",
        "-o a.mp4 --from=-1",
        "-o a.mp4 --from=1e12",
        "-o a.mp4 --speed 0",
        "-o a.mp4 --fps 0",
        "-o a.gif --fps 60",
        "-o a.mp4 --plot circlines",
        "-o a.mp4 --camera follow:17",
        "-o a.mp4 --camera follow:miller",
        "-o a.mp4 --camera nowhere",
        "-o a.mp4 --overlay clocks",
        "-o a.mp4 --palette rainbow",
        "-o a.mp4 --transparent",
        "-o a.mp4 --frame-hashes none/h.csv",
    ];
    let said: String = all.iter().map(|arguments| format!("{arguments}\n{}", refused(&place, arguments))).collect();
    insta::assert_snapshot!(said, @r"
    -o none/a.mp4
      error: none/a.mp4: cannot be written: there is no folder none
    -o there.mp4/a.mp4
      error: there.mp4/a.mp4: cannot be written: there is no folder there.mp4
    -o there.mp4
      error: there.mp4: exists already; --overwrite replaces it
    -o a.mkv
      error: a.mkv: cannot write .mkv: expected .mp4, .gif, .apng or .png, or --encoder ffmpeg
    -o a.png
      error: a.png: names one picture: add `--frames 1`, or name a folder or a-%05d.png
    -o a.webm --encoder ffmpeg
      error: ffmpeg cannot be started: install it (on Debian, `apt install ffmpeg`) or leave out `--encoder ffmpeg`: No such file or directory
    -o a.mp4 --encoder fmpeg
      error: --encoder: expected own or ffmpeg, found `fmpeg`; did you mean `ffmpeg`?
    -o a.mp4 --size 0x0
      error: --size: expected width and height from 16 to 8192, such as 1280x800, found `0x0`
    -o a.mp4 --size 100000x100000
      error: --size: expected width and height from 16 to 8192, such as 1280x800, found `100000x100000`
    -o a.mp4 --size 8000x8000
      error: a.mp4: 8000x8000 pixels: H.264 has at most 3840x2160; PNG files may be larger
    -o a.mp4 --frames 0
      error: --frames: expected an integer ≥ 1, found `0`
    -o a.mp4 --from=-1
      error: --from: expected seconds, or a step of a run folder, such as 1400; a time, such as 35s or 2m; or the name of a bookmark, found `-1`
    -o a.mp4 --from=1e12
      error: --from: expected a moment after at most 1000000000 steps, found 40000000000000
    -o a.mp4 --speed 0
      error: --speed: expected a number > 0, such as 10 or 0.1, found `0`
    -o a.mp4 --fps 0
      error: --fps: expected frames per second from 0.1 to 240, such as 30, 12.5 or 30000/1001, found `0`
    -o a.gif --fps 60
      error: a.gif: 60 frames per second: GIF has at most 50 frames per second
    -o a.mp4 --plot circlines
      error: --plot: the metrics of the scene are circliness, average_speed_m_per_s, group_rotation_m_per_s, not `circlines`; did you mean `circliness`?
    -o a.mp4 --camera follow:17
      error: --camera: there is no agent 17: the scene has 6, counted from 0
    -o a.mp4 --camera follow:miller
      error: --camera: there is no agent or group `miller`; did you mean `millers`?
    -o a.mp4 --camera nowhere
      error: --camera: expected fit, follow:AGENT, follow:GROUP or X,Y,ZOOM, such as 5,5,2: metres, and zoom relative to fit; follow:GROUP,2 sets the zoom, too, found `nowhere`
    -o a.mp4 --overlay clocks
      error: --overlay: expected some of grid, grid-labels, scale, title, clock, seed, links, connections, estimates, plans, trails, ids, names, velocities, commands, density, occupancy, voronoi, delaunay, fields, sensors, metrics, or none, found `clocks`; did you mean `clock`?
    -o a.mp4 --palette rainbow
      error: --palette: expected okabe-ito, tol or grey, found `rainbow`
    -o a.mp4 --transparent
      error: a.mp4: only .apng and .png can be transparent
    -o a.mp4 --frame-hashes none/h.csv
      error: none/h.csv: cannot be written: there is no folder none
    ");
    let negative = place.expect(2, "record milling --duration=-1 -o a.mp4").stderr;
    assert!(negative.contains("--duration: expected seconds > 0") && negative.contains("found `-1`"), "{negative}");
    assert_eq!(place.names("."), ["there.mp4"]);
    assert_eq!(place.read("there.mp4"), "a film");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_refused_at_once() {
    // Nobody can write there, whoever runs the test.
    for name in ["a.mp4", "a.gif", "a.apng", "a_%03d.png"] {
        let said = Place::new().expect(2, &format!("record milling --duration 100000 -o /proc/{name}"));
        assert!(said.stderr.contains(&format!("/proc/{name}: cannot be written")), "{}", said.stderr);
    }
}

#[test]
fn odd_video_sizes_are_made_even_where_the_format_needs_it() {
    let place = Place::new();
    let said = place.expect(0, "record milling --frames 3 --size 321x181 -o a.mp4");
    assert!(said.stderr.contains("frames have 322x182 pixels"), "{}", said.stderr);
    assert!(said.stderr.contains("a.mp4: 3 frames (0.100 s)"), "{}", said.stderr);
    let one = place.expect(0, "record milling --frames 1 --size 64x48 -o a.png").stderr;
    assert!(one.contains("100 % (1 of 1 frame)") && one.contains("a.png: 1 frame (0.033 s)"), "{one}");
    for name in ["a.gif", "a.apng"] {
        place.expect(0, &format!("record milling --frames 3 --size 321x181 -o {name} --quiet"));
    }
    assert_eq!(gif_frames(&place.path("a.gif")), (321, 181, 3));
    assert_eq!(png_frames(&place.path("a.apng")), (321, 181, 3));
}

#[test]
fn a_run_folder_is_recorded_as_it_was_run() {
    let place = Place::new();
    place.write("edits.ron", "[(step: 10, edit: Move(agent: 0, x_m: 2.0, y_m: 3.0, heading_rad: 1.0))]");
    place.expect(0, "run milling --seed 5 --steps 60 --edits edits.ron --trace -o run --quiet");
    let record = |what: &str, to: &str| {
        place.expect(
            0,
            &format!("record {what} --duration 1.5 --size 160x90 --fps 20 -o {to}.gif --frame-hashes {to}.csv --quiet"),
        );
        rows(&place.read(&format!("{to}.csv")))
    };
    let whole = record("run", "traced");
    assert_eq!(whole.len(), 1 + 30);
    fs::rename(place.path("run/trace.csv"), place.path("trace.csv")).unwrap();
    assert_eq!(record("run", "run-again"), whole);
    // The trace takes precedence over resimulation.
    let moved: Vec<String> = place.read("trace.csv").lines().map(|line| line.replace(",millers-1,", ",x,")).collect();
    let stands = |line: &String| match line.split(',').collect::<Vec<_>>()[..] {
        [step, t_s, "1", name, _, _, heading, ref readings @ ..] => {
            format!("{step},{t_s},1,{name},8,8,{heading},{}", readings.join(","))
        }
        _ => line.clone(),
    };
    place.write("run/trace.csv", moved.iter().map(|line| stands(line) + "\n").collect::<String>());
    assert_ne!(record("run", "altered")[1..], whole[1..]);
    place.write("run/trace.csv", "step,agent,x_m,y_m,heading_rad,readings\n0,99,1,1,0,\n");
    let said = place.expect(2, "record run -o b.gif");
    assert!(said.stderr.contains("step 0: there is no agent 99"), "{}", said.stderr);
    place.write("run/trace.csv", "step,agent,x_m,y_m,heading_rad,readings\n0,1,here,1,0,\n");
    assert!(place.expect(2, "record run -o b.gif").stderr.contains("trace.csv:2: expected numbers"));
}

#[test]
fn a_recording_lasts_as_long_as_its_run() {
    let place = Place::new();
    let scene = "(groups: [(name: \"a\", count: 2)], objects: [Disc(center_m: (5.0, 5.0), motion: Unicycle(),
        controller: Constant(v_m_per_s: 0.3))])";
    place.write("two.ron", scene);
    place
        .write("e.ron", "[(step: 10, edit: Remove(path: \"agents.0\")), (step: 10, edit: Remove(path: \"agents.1\"))]");
    let run = "run two.ron --steps 80 --edits e.ron -q -o";
    place.expect(0, &format!("{run} without"));
    place.expect(0, &format!("{run} with --trace"));
    for folder in ["without", "with"] {
        let record = "--size 96x72 --fps 10 -q --overwrite --frame-hashes";
        place.expect(0, &format!("record {folder} -o {folder}.gif {record} {folder}.csv"));
    }
    assert_eq!(place.read("with.csv"), place.read("without.csv"));
    place.expect(0, "record with -o p.png --from 60 --frames 1 --size 96x72 -q");
}

#[test]
fn an_interrupted_recording_plays_to_where_it_got() {
    let place = Place::new();
    let mut child = place.command("record milling --duration 100000 --size 160x90 -o a.gif --quiet").spawn().unwrap();
    let partial = place.path("a.gif.partial");
    while fs::metadata(&partial).map_or(0, |file| file.len()) < 20_000 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(child.try_wait().unwrap().is_none(), "the recording ended early");
    }
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let bytes = fs::read(place.path("a.gif")).unwrap();
    assert!(bytes.starts_with(b"GIF89a") && bytes.ends_with(b"\x3B") && !partial.exists());
}

#[test]
fn an_edit_of_a_run_that_makes_no_sense_is_a_bad_file() {
    let place = Place::new();
    place.expect(0, "run milling --steps 50 --quiet -o run");
    place.write("run/edits.ron", "[\n (step: 20, edit: Set(path: \"groups.millers.fly\", value: \"1\")),\n]");
    let said = place.expect(2, "record run --size 160x90 -o a.gif");
    assert!(said.stderr.contains("run/edits.ron:2:2: edit of step 20: groups.millers.fly: "), "{}", said.stderr);
    assert!(place.has("a.gif"), "the video up to there is kept");
}

#[test]
fn a_video_without_an_end_is_refused_before_its_first_frame() {
    let place = Place::new();
    place.expect(0, "run milling --steps 20 --trace --quiet -o run");
    let trace = place.read("run/trace.csv");
    for last in [30_000_000, u64::MAX] {
        place.write("run/trace.csv", format!("{trace}{last},0,0,millers-0,5,5,0,0,\n"));
        let said = place.expect(2, "record run -o a.gif").stderr;
        assert!(
            said.contains(&format!("run/trace.csv: the run ends with step {last}: a video of all of it")),
            "{said}"
        );
    }
    place.expect(0, "record run --size 160x90 --frames 3 --quiet -o a.gif");
    fs::remove_file(place.path("run/trace.csv")).unwrap();
    let manifest = place.read("run/manifest.json").replace("\"steps\": 20", "\"steps\": 18446744073709551615");
    place.write("run/manifest.json", manifest);
    assert!(place.expect(2, "record run -o b.gif").stderr.contains("run/manifest.json: the run ends with step 1844"));
    place.write("run/manifest.json", "{");
    assert!(place.expect(2, "record run -o b.gif").stderr.contains("run/manifest.json: "));
    let said = place.expect(2, "record milling --set stop.steps=4000000000 -o b.gif").stderr;
    assert!(said.contains("milling: a video of all of it would have"), "{said}");
    assert_eq!(place.names("."), ["a.gif", "run"]);
}

#[cfg(target_os = "linux")]
#[test]
fn two_processes_never_write_one_video() {
    let place = Place::new();
    for name in ["a.gif", "a.mp4", "a.apng", "b_%02d.png", "frames/"] {
        let record = format!("record milling --duration 100000 --size 160x90 --quiet -o {name}");
        let mut child = place.command(&record).spawn().unwrap();
        let partial = match name {
            "b_%02d.png" => "b_00.png".into(),
            "frames/" => "frames/frame_00000.png".into(),
            name => format!("{name}.partial"),
        };
        while !place.has(&partial) {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let said = place.expect(2, &format!("{record} --overwrite"));
        assert!(said.stderr.contains("cannot be written: another process is writing it"), "{}", said.stderr);
        assert!(place.has(&partial), "the file of the first one stays");
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
        place.expect(0, &format!("record milling --frames 2 --size 160x90 --quiet -o {name} --overwrite"));
    }
    assert_eq!(place.names("."), ["a.apng", "a.gif", "a.mp4", "b_00.png", "b_01.png", "frames"]);
    // Two that begin at once: one is refused, whichever it is.
    let record = "record milling --frames 20 --size 160x90 --quiet -o c.mp4 --frame-hashes c.csv";
    let [mut first, mut second] = [0, 1].map(|_| place.command(record).spawn().unwrap());
    let mut codes = [&mut first, &mut second].map(|child| child.wait().unwrap().code());
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(2)]);
    assert_eq!(rows(&place.read("c.csv")).len(), 1 + 20);
}

#[cfg(target_os = "linux")]
#[test]
fn no_video_is_claimed_in_a_folder_that_is_gone() {
    let place = Place::new();
    for name in ["gone/a.gif", "gone/a.mp4", "gone/a_%05d.png"] {
        fs::create_dir(place.path("gone")).unwrap();
        let record = format!("record milling --duration 100000 --size 160x90 -o {name}");
        let mut command = place.command(&record);
        let child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        fs::rename(place.path("gone"), place.path(&format!("{name}.moved").replace('/', "-"))).unwrap();
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let said = super::Said::from(child.wait_with_output().unwrap());
        // Images fail to be written at once: then the signal may come when the program is about to end.
        assert!(matches!(said.code, Some(3 | 130)), "{name}: {:?} {}", said.code, said.stderr);
        assert!(said.stderr.contains("there is no video") && !said.stderr.contains("frames ("), "{}", said.stderr);
    }
}

/// The report of `ffprobe` on a video; nothing where it is not installed, as `.ci/run` installs it.
fn probed(place: &Place, name: &str) -> Option<String> {
    let fields = "stream=codec_name,width,height,r_frame_rate,nb_read_frames,pix_fmt,color_space";
    let mut probe = std::process::Command::new("ffprobe");
    probe.args(["-v", "error", "-count_frames", "-show_entries", fields, "-of", "csv=p=0"]).arg(place.path(name));
    Some(String::from_utf8(probe.output().ok()?.stdout).unwrap().trim().to_owned())
}

#[test]
fn ffprobe_reads_the_video() {
    let place = Place::new();
    place.expect(0, &format!("{SHORT} -o a.mp4"));
    if let Some(found) = probed(&place, "a.mp4") {
        assert_eq!(found, "h264,320,180,yuv420p,bt709,30/1,30");
        place.expect(0, &format!("{SHORT} -o a.webm --encoder ffmpeg"));
        assert!(probed(&place, "a.webm").unwrap().contains("320,180"));
    }
}
