"""The build of the package."""

import json

import swarmarium as sw


def test_the_build_is_named() -> None:
    info = sw.build_info()
    assert info.version == sw.__version__
    assert "robotswarmsimulator" in info.features and "video" in info.features
    assert "-" in info.target
    assert info.commit is None or len(info.commit) == 40


def test_sweeps_name_the_commit(tmp_path) -> None:
    sw.sweep("milling", vary={"groups.millers.count": [4]}, repeat=2, steps=3, output=tmp_path / "a")
    manifest = json.loads((tmp_path / "a" / "manifest.json").read_text())
    info = sw.build_info()
    assert manifest["program"] == "swarmarium"
    assert manifest.get("commit", "").removesuffix("-modified") == (info.commit or "")
