"""Pictures are drawn on the axes given or on new ones, and written to files that are whole and the same every time."""

from __future__ import annotations

import io as streams
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.lab import plots
from pebble.lab.plots import canvas
from tests.lab.pictures import PROBLEM

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.text import Text  # noqa: E402


def written(picture: Any, suffix: str) -> bytes:
    """What a file would hold."""
    stream = streams.BytesIO()
    canvas.write_picture(picture, stream, suffix)
    return stream.getvalue()


def draw_all(one: Any, pair: Any) -> dict[str, Callable[[], Any]]:
    """Every picture, on the axes given."""
    problem = Problem.square(64, 8)
    return {
        "io": lambda: plots.io(problem, [40, 400], ["flash-2", "best"], ax=one),
        "gap": lambda: plots.gap(problem, [40, 400], ax=one),
        "arrays": lambda: plots.arrays(problem, 400, ["flash-2"], ax=one),
        "roofline": lambda: plots.roofline(problem, "a100", schedules=["flash-2"], ax=one),
        "occupancy": lambda: plots.occupancy("flash-2", Problem.square(6, 2), 20, ax=pair),
    }


KINDS = ("io", "gap", "arrays", "roofline", "occupancy")


@pytest.mark.parametrize("kind", KINDS)
def test_without_axes_there_are_new_ones_and_no_pyplot(kind: str) -> None:
    loaded = "matplotlib.pyplot" in sys.modules
    found = draw_all(None, None)[kind]()
    axes = found if kind == "occupancy" else (found,)
    assert all(ax.get_title(loc="left") or kind == "occupancy" for ax in axes)
    assert axes[0].get_title(loc="left")
    assert axes[-1].get_xlabel()
    assert all(ax.get_ylabel() or kind == "arrays" for ax in axes)
    assert ("matplotlib.pyplot" in sys.modules) == loaded


@pytest.mark.parametrize(("name", "inches"), [("column", 3.4), ("page", 8.0), ("slide", 10.0)])
def test_a_width_is_that_of_new_figures(name: str, inches: float) -> None:
    with plots.width(name):
        figure: Any = plots.io(PROBLEM, [40, 60], ["naive"]).figure
    other: Any = plots.io(PROBLEM, [40], ["naive"]).figure
    assert (figure.get_figwidth(), other.get_figwidth()) == (inches, 8)
    with pytest.raises(InvalidInput, match="column, page, slide"), plots.width("poster"):
        pass


@pytest.mark.many(1)
@pytest.mark.parametrize("name", ["slide", "column"])
def test_no_name_of_a_line_is_on_another_or_cut_off(name: str) -> None:
    with plots.width(name):
        ax = plots.io(
            Problem.square(256, 16), [64, 1024, 16_384], ["flash-1", "flash-2", "naive", "small-cache"]
        )
    figure: Any = ax.figure
    figure.canvas.draw()
    boxes = [Text.get_window_extent(text) for text in ax.texts if text.get_text() != "M = d² = 256"]
    assert len(boxes) >= 7
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 + 1 for box in boxes)
    pairs = itertools.combinations([box.shrunk(0.95, 0.8) for box in boxes], 2)
    assert not any(one.overlaps(other) for one, other in pairs)


# Files


@pytest.mark.many(1)
@pytest.mark.parametrize("kind", KINDS)
def test_vector_files_are_valid_and_the_same_every_time(kind: str) -> None:
    first, again = (written(draw_all(None, None)[kind](), "svg") for _ in range(2))
    assert first == again
    assert ElementTree.fromstring(first).tag == "{http://www.w3.org/2000/svg}svg"
    assert b"<dc:date>" not in first


def test_a_file_is_replaced_whole_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.svg"
    ax = plots.io(PROBLEM, [40, 60], ["naive"])
    plots.save(ax, path)
    before = path.read_bytes()

    def fail(*arguments: Any, **named: Any) -> None:
        arguments[1].write(b"half")
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(RuntimeError):
        plots.save(ax, path)
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["a.svg"]


def test_the_page_lists_every_picture() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "plots.md"
    text = page.read_text(encoding="utf-8")
    for kind in KINDS:
        assert f"| `{kind}` |" in text
