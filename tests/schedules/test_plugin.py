"""A third party's schedule is found, counted and held to the contract; a broken one is named, not swallowed.

The example project in tests/plugin is installed as pip would leave it: the package and a folder of metadata with its
entry points, side by side in a folder on the path. No network and no build tool takes part.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pebble.program.schedule import Schedule, registry
from tests.support.amounts import first

PROJECT = Path(__file__).resolve().parents[1] / "plugin"


def _install(target: Path, name: str, entry_points: dict[str, str]) -> None:
    info = target / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = ["[pebble.schedules]", *(f"{key} = {value}" for key, value in entry_points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """Give a folder in which the example project is installed."""
    folder = tmp_path / "installed"
    shutil.copytree(PROJECT / "src", folder, ignore=shutil.ignore_patterns("__pycache__"))
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    _install(folder, project["name"], project["entry-points"]["pebble.schedules"])
    return folder


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1"},
        check=False,
    )


def _pebble(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return _run(folder, "-m", "pebble", *arguments)


def test_it_is_listed_after_the_built_in_ones(plugins: Path) -> None:
    done = _pebble(plugins, "schedules", "--json")
    assert done.returncode == 0, done.stderr
    listed = [entry for entry in json.loads(done.stdout)["schedules"] if "forward" in entry["passes"]]
    names = [entry["name"] for entry in listed]
    assert names.count("example-rows") == 1
    assert names.index("example-rows") > names.index("best")
    assert {"source": "the example plug-in", "tiles": ["rows"]}.items() <= listed[
        names.index("example-rows")
    ].items()


def test_it_is_counted_beside_the_others(plugins: Path) -> None:
    done = _pebble(plugins, "count", "-N", "4096", "-d", "64", "-M", "25000", "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)["schedules"]}
    assert rows["example-rows"]["tiles"] == {"rows": 191}
    assert rows["example-rows"]["io"] == 2 * 4096 * 64 * (22 + 1)
    assert rows["flash-2"]["fits"]


def test_it_keeps_the_contract(plugins: Path) -> None:
    code = """
from pebble.computations.problem import Problem
from pebble.program.schedule import get
from pebble.testing import check_schedule

for problem in (Problem(7, 5, 3, 2), Problem(1, 6, 2, 4, stats=True), Problem(6, 1, 1, 1)):
    for M in (16, 40, 100):
        print(check_schedule(get("example-rows"), problem, M).io)
"""
    done = _run(plugins, "-c", code)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 9


@pytest.mark.many(2)
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import no_such_module\n", ["cannot be loaded", "no_such_module"]),
        ("raise RuntimeError('out of order')\n", ["cannot be loaded", "out of order"]),
        ("", ["cannot be loaded", "Broken"]),
        ("class Broken: pass\n", ["is not a pebble.program.schedule.Schedule"]),
        (
            "from pebble.program.schedule import Schedule\nclass Broken(Schedule):\n    name = 'broken'\n",
            ["cannot be loaded", "abstract"],
        ),
    ],
)
@pytest.mark.parametrize("command", first(1, ["schedules", "count -N 8 -d 2 -M 40"]))
def test_a_broken_one_is_named(tmp_path: Path, command: str, source: str, words: list[str]) -> None:
    (tmp_path / "broken_plugin.py").write_text(source, encoding="utf-8")
    _install(tmp_path, "broken-plugin", {"broken": "broken_plugin:Broken"})
    done = _pebble(tmp_path, *command.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("pebble: ")
    assert "broken_plugin:Broken" in done.stderr
    assert all(word in done.stderr for word in words), done.stderr


def test_two_of_one_name_are_refused(plugins: Path) -> None:
    source = "from pebble_example import ExampleRows\nclass Mine(ExampleRows):\n    name = 'flash-2'\n"
    (plugins / "second_plugin.py").write_text(source, encoding="utf-8")
    _install(plugins, "second-plugin", {"flash-2": "second_plugin:Mine"})
    done = _pebble(plugins, "schedules")
    assert done.returncode == 2
    assert "'flash-2'" in done.stderr
    assert "second_plugin" in done.stderr


def test_a_file_in_the_package_is_all_that_a_built_in_one_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_schedules").mkdir()
    (tmp_path / "own_schedules" / "__init__.py").touch()
    shutil.copy(PROJECT / "src" / "pebble_example" / "__init__.py", tmp_path / "own_schedules" / "rows.py")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_OWN", "own_schedules")
    monkeypatch.setattr(registry, "_own", registry._own.__wrapped__)
    assert [schedule.name for schedule in registry._own(Schedule)] == ["example-rows"]
    assert registry.is_built_in("example-rows")
    assert not registry.is_built_in("flash-2")
