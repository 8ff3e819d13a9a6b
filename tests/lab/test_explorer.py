"""The explorer's data and page, without a browser."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from pebble.cli import group
from pebble.lab.explorer import ExplorerPage, explore
from pebble.lab.explorer.points import Stop, count_point, every_point, load_points, write_points

_STALE = "the explorer's data is stale: delete points.jsonl, then run python -m pebble.lab.explorer"


@pytest.fixture(scope="module")
def page() -> ExplorerPage:
    return explore()


def test_data_has_every_stop_once() -> None:
    assert list(load_points()) == list(every_point()), _STALE


@pytest.mark.many(1)
@pytest.mark.parametrize(("mask", "width"), [("none", 1), ("causal", 1), ("none", 4)])
def test_data_is_what_is_counted(mask: str, width: int) -> None:
    point = Stop(1024, 64, 49_152, mask, "forward", width)
    assert load_points()[point] == json.loads(json.dumps(count_point(point))), _STALE


@pytest.mark.slow
def test_a_sample_is_what_is_counted() -> None:
    for point in random.Random(4).sample(list(every_point()), 12):
        assert load_points()[point] == json.loads(json.dumps(count_point(point))), (_STALE, point)


def test_points_that_are_known_are_not_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = Stop(1024, 64, 32_768, "none", "forward")
    monkeypatch.setattr("pebble.lab.explorer.points.every_point", lambda: iter([point]))
    told: list[str] = []
    for _ in range(2):
        write_points(tmp_path / "points.jsonl", told.append)
    assert len(told) == 1
    assert load_points(tmp_path / "points.jsonl") == {point: load_points()[point]}


def test_command_writes_one_small_file(
    page: ExplorerPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pebble.lab.explorer.explore", lambda: page)
    file = tmp_path / "page.html"
    ran = CliRunner().invoke(group, ["explore", "-o", str(file)])
    assert ran.exit_code == 0, ran.output
    assert 50_000 < file.stat().st_size < 1_000_000
    text = file.read_text(encoding="utf-8")
    assert "http://" not in text
    assert "https://" not in text


def test_loops_are_those_of_the_program(page: ExplorerPage) -> None:
    document = page.document
    row = document["points"]["4096/64/49152/none/forward/1"]["schedules"]["flash-2"]
    place, *numbers = row["loops"]
    text = document["listings"][place].replace("#", "{}").format(*numbers)
    assert text.startswith(f"for i in tiles of {row['tiles'].removeprefix('rows=')}:\n    load Q\n")
