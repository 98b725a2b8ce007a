"""MCAP files, read with the reference packages and compared with the tables of the same run."""

import csv
import math
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import swarmarium as sw
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

SCENE = """Scene(
    seed: 4,
    arena: (size_m: (5.0, 4.0)),
    groups: [
        (
            name: "scout", count: 3, at: [(1.0, 1.0, 0.5), (2.5, 1.5, -2.0), (2.0, 1.7, 1.57)],
            motion: DifferentialDrive(),
            sensors: [
                LaserScanner(window_deg: 120.0, resolution_deg: 5.0, range_m: 1.5, mount: (x_m: 0.05, yaw_rad: 0.3)),
                Infrared(mounts: [(0.1, 0.0, 0.0), (0.0, 0.1, 1.5)], range_m: 0.6),
            ],
            controller: Constant(v_m_per_s: 0.3, turn_rad_per_s: 0.4),
        ),
    ],
    objects: [
        Disc(center_m: (2.0, 2.5), radius_m: 0.3),
        Floor(min_m: (1.0, 0.0), max_m: (3.0, 1.0), columns: 4, lines: 2),
    ],
    metrics: [AverageSpeed(), Centroid()],
)"""
STEPS = 60


@pytest.fixture
def scene(tmp_path: Path) -> str:
    path = tmp_path / "scouts.ron"
    path.write_text(SCENE, encoding="utf-8")
    return str(path)


def messages(path: Path) -> dict[str, list[tuple[int, Any]]]:
    """The times and the messages of each topic; all checksums are checked."""
    found: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        assert reader.get_header().profile == "ros2" and summary is not None and summary.statistics is not None
        for _, channel, message, decoded in reader.iter_decoded_messages():
            found[channel.topic].append((message.log_time, decoded))
        counted = sum(summary.statistics.channel_message_counts.values())
    assert sum(map(len, found.values())) == counted == summary.statistics.message_count
    return found


def rows(path: Path) -> dict[int, list[dict[str, str]]]:
    """The rows of a table by step."""
    found = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[int(row["step"])].append(row)
    return found


def run(program: list[str], scene: str, folder: Path, *flags: str) -> None:
    command = [*program, "run", scene, "--steps", str(STEPS), "--quiet", "-o", str(folder), *flags]
    subprocess.run(command, check=True, capture_output=True, text=True)


def test_poses_scans_and_metrics_are_those_of_the_tables(program: list[str], scene: str, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    run(program, scene, tmp_path / "run", "--trace", "--mcap", str(path), "--mcap-rate", "step")
    read, trace, metrics = messages(path), rows(tmp_path / "run/trace.csv"), rows(tmp_path / "run/metrics.csv")
    assert len(read["/tf"]) == STEPS + 1
    for step, (time_ns, message) in enumerate(read["/tf"]):
        assert time_ns == pytest.approx(float(trace[step][0]["t_s"]) * 1e9, abs=1)
        for transform, row in zip(message.transforms, trace[step], strict=True):
            place, turn = transform.transform.translation, transform.transform.rotation
            assert (transform.header.frame_id, transform.child_frame_id) == ("world", row["name"])
            assert (place.x, place.y, place.z) == (float(row["x_m"]), float(row["y_m"]), 0.0)
            error_rad = 2.0 * math.atan2(turn.z, turn.w) - float(row["heading_rad"])
            assert abs(math.remainder(error_rad, math.tau)) < 1e-6
    for robot in range(3):
        scans = read[f"/scout_{robot}/laser_scanner"]
        ranges = [read[f"/scout_{robot}/infrared_{eye}"] for eye in range(2)]
        for step, (_, scan) in enumerate(scans):
            row = trace[step][robot]
            readings = [float(value) for name, value in row.items() if name.startswith("0.LaserScanner.")]
            expected = [value if value < 1.5 else math.inf for value in readings]
            assert list(scan.ranges) == pytest.approx(expected, rel=1e-6)
            assert scan.angle_max - scan.angle_min == pytest.approx(math.radians(120.0), rel=1e-6)
            eyes = [float(value) for name, value in row.items() if name.startswith("1.Infrared.")]
            expected = [value if value < 0.6 else math.inf for value in eyes]
            assert [eye[step][1].range for eye in ranges] == pytest.approx(expected, rel=1e-6)
    scans = [scan for robot in range(3) for _, scan in read[f"/scout_{robot}/laser_scanner"]]
    eyes = [eye for robot in range(3) for _, eye in read[f"/scout_{robot}/infrared_0"]]
    assert any(math.isfinite(value) for scan in scans for value in scan.ranges)
    assert any(math.isfinite(eye.range) for eye in eyes)
    for column in ("average_speed_m_per_s", "centroid.x_m", "centroid.y_m"):
        topic = "/metrics/" + column.replace(".", "/")
        values = [(message.step, message.value) for _, message in read[topic]]
        assert values == [(step, float(row[0][column])) for step, row in metrics.items()]
    grid = read["/floor/_1"][0][1]
    assert (grid.info.width, grid.info.height, grid.info.resolution) == (4, 2, 0.5)
    assert list(grid.data) == [0, 100, 0, 100, 100, 0, 100, 0]
    bodies = {(marker.ns, marker.id): marker for _, message in read["/bodies"] for marker in message.markers}
    assert {key for key in bodies if key[0] == "robots"} == {("robots", robot) for robot in range(3)}
    assert bodies["robots", 1].header.frame_id == "scout-1" and bodies["robots", 1].frame_locked
    assert bodies["objects", 0].scale.x == pytest.approx(0.6)


def test_all_ways_to_a_file_give_the_same_bytes(program: list[str], scene: str, tmp_path: Path) -> None:
    run(program, scene, tmp_path / "one", "--mcap", str(tmp_path / "one.mcap"))
    run(program, scene, tmp_path / "two", "--mcap", str(tmp_path / "two.mcap"), "--threads", "2")
    sw.load(scene).run(STEPS, mcap=tmp_path / "three.mcap")
    sim = sw.load(scene)
    with sim.record_mcap(tmp_path / "four.mcap") as recording:
        sim.step(STEPS // 2)
        sim.step(STEPS // 2)
    assert recording.messages > STEPS
    first, *others = [(tmp_path / f"{name}.mcap").read_bytes() for name in ("one", "two", "three", "four")]
    assert all(other == first for other in others)


def test_topics_and_rates_can_be_chosen(scene: str, tmp_path: Path) -> None:
    sim = sw.load(scene)
    with sim.record_mcap(tmp_path / "a.mcap", topics={"poses": 10, "metrics": "step", "links": None}, rate=2):
        sim.step(40)
    read = messages(tmp_path / "a.mcap")
    counts = {topic: len(found) for topic, found in read.items()}
    assert counts == {
        "/tf": 11,
        "/links": 3,
        "/metrics/average_speed_m_per_s": 40,
        "/metrics/centroid/x_m": 40,
        "/metrics/centroid/y_m": 40,
    }
    with sim.record_mcap(tmp_path / "b.mcap", topics=["poses"]):
        pass
    assert [time_ns for time_ns, _ in messages(tmp_path / "b.mcap")["/tf"]] == [1_000_000_000]


def test_events_are_in_the_log(tmp_path: Path) -> None:
    sim = sw.load("milling", seed=2, set={"groups.millers.spawn": "UniformSquare(side_m: 1.0)"})
    with sim.record_mcap(tmp_path / "a.mcap", topics=["log"]):
        sim.apply("Fault", agent=2, failure="Total", is_active=True)
        sim.step(400)
    found = messages(tmp_path / "a.mcap").get("/rosout", [])
    assert [entry.msg for _, entry in found] == [event.text for event in sim.events]
    assert all(entry.level in (20, 30, 40) for _, entry in found)


def test_paths_and_choices_are_refused_with_a_reason(scene: str, tmp_path: Path) -> None:
    sim = sw.load(scene)
    there = tmp_path / "there.mcap"
    there.write_bytes(b"x")
    with pytest.raises(sw.SwarmariumError, match=r"there\.mcap: exists already; overwrite=True replaces it"):
        sim.record_mcap(there)
    with pytest.raises(sw.SwarmariumError, match="there is no folder"):
        sim.record_mcap(tmp_path / "no" / "a.mcap")
    with pytest.raises(sw.SwarmariumError, match="topics: .* found `pose`; did you mean `poses`"):
        sim.record_mcap(tmp_path / "a.mcap", topics=["pose"])
    with pytest.raises(sw.SwarmariumError, match="rate: expected times per simulated second"):
        sim.record_mcap(tmp_path / "a.mcap", rate=0)
    with sim.record_mcap(there, overwrite=True):
        with pytest.raises(sw.SwarmariumError, match="is being written: close it first"):
            sim.record_mcap(tmp_path / "a.mcap")
        sim.step(3)
    assert len(messages(there)["/tf"]) > 1


def test_a_jump_back_completes_the_file(scene: str, tmp_path: Path) -> None:
    sim = sw.load(scene)
    before = sim.snapshot()
    with pytest.raises(sw.SwarmariumError, match="the run went back to step 1"):
        with sim.record_mcap(tmp_path / "a.mcap", rate="step") as first:
            sim.step(10)
            sim.restore(before)
            sim.step(1)
    assert len(messages(tmp_path / "a.mcap")["/tf"]) == 11 and first.messages > 11
    # The end of an earlier recording leaves a later one alone.
    sim.restore(before)
    with sim.record_mcap(tmp_path / "b.mcap", rate="step"):
        sim.step(10)
        sim.restore(before)
        with pytest.raises(sw.SwarmariumError, match="the run went back"):
            sim.step(1)
        later = sim.record_mcap(tmp_path / "c.mcap", rate="step")
    sim.step(2)
    later.close()
    assert len(messages(tmp_path / "c.mcap")["/tf"]) == 3


def test_a_run_replaces_a_file_only_on_request(scene: str, tmp_path: Path) -> None:
    there = tmp_path / "there.mcap"
    there.write_bytes(b"x")
    sim = sw.load(scene)
    with pytest.raises(sw.SwarmariumError, match="overwrite=True replaces it"):
        sim.run(3, mcap=there)
    assert sim.steps == 0
    sim.run(3, mcap=there, overwrite=True)
    assert len(messages(there)["/tf"]) > 1
