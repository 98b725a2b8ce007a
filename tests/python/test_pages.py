"""Runs as pages."""

import html
import re

import pytest
import swarmarium
from swarmarium import SwarmariumError


@pytest.fixture
def sim():
    sim = swarmarium.load("milling", seed=5)
    sim.step(40)
    sim.apply("Move", agent=0, x_m=2.0, y_m=2.0, heading_rad=0.0)
    return sim.step(40)


def test_a_notebook_shows_the_page_in_a_frame(sim):
    hash = sim.hash()
    page = sim.show(height=500)
    assert page.html.startswith("<!DOCTYPE html>") and "swarmarium open milling.swarm" in page.html
    shown = page._repr_html_()
    found = re.fullmatch(r'<iframe sandbox="([^"]*)" style="([^"]*)" srcdoc="([^"]*)"></iframe>', shown, re.S)
    assert html.unescape(found[3]) == page.html
    assert found[1] == "allow-scripts allow-downloads" and "500px" in found[2]
    assert (sim.steps, sim.hash()) == (80, hash), "the run stays as it is"
    assert re.fullmatch(r"Page\(\d\.\d MB\)", repr(page))


def test_the_saved_page_is_that_of_the_notebook(sim, tmp_path):
    path = tmp_path / "run.html"
    sim.save_page(path, rate=5)
    shown = sim.show(rate=5)
    assert path.read_text(encoding="utf-8") == shown.html
    assert len(sim.show(rate=1).html) < len(shown.html)
    with pytest.raises(SwarmariumError, match="exists already"):
        sim.save_page(path)
    sim.save_page(path, overwrite=True)
    with pytest.raises(FileExistsError):
        shown.save(path)
    shown.save(path, overwrite=True)
    assert path.read_text(encoding="utf-8") == shown.html


def test_bad_flags_are_errors(sim, tmp_path):
    with pytest.raises(SwarmariumError, match="expected a number from 0.01 to 1000"):
        sim.show(rate=0)
    with pytest.raises(SwarmariumError, match="expected a file `.html`"):
        sim.save_page(tmp_path / "run.txt")
