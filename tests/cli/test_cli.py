"""The command line as a picky user meets it: right numbers, one document of JSON, clear refusals, no tracebacks."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pebble.cli import main

SIZES = ["-N", "64", "-d", "4"]
COUNT = ["count", *SIZES, "-M", "100"]


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def refused(self, code: int, *words: str) -> None:
        """Assert a clear refusal: exit status, one line with these words after click's hint, no traceback."""
        assert self.code == code, self
        assert "Traceback" not in self.err
        lines = [line for line in self.err.splitlines() if line and not line.startswith(("Usage:", "Try "))]
        assert len(lines) == 1, self.err
        assert lines[0].startswith(("pebble: ", "Error: "))
        for word in words:
            assert word in lines[0], f"{word!r} is not in {lines[0]!r}"


Pebble = Callable[..., Done]


@pytest.fixture
def pebble(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Pebble:
    def call(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["pebble", *arguments])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return call


def _document(done: Done) -> Any:
    """Parse exactly one JSON document without NaN or infinities."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(done.out, parse_constant=refuse)


# -- count


def test_count_json_has_every_field(pebble: Pebble) -> None:
    done = pebble(*COUNT, "--json")
    assert (done.code, done.err) == (0, "")
    document = _document(done)
    points = ["dividing_point", "sparse_dividing_point"]
    assert list(document) == ["schema_version", "problem", "M", "regime", *points, "schedules", "bounds"]
    assert (document["schema_version"], document["M"]) == (1, 100)
    assert document["problem"]["Nq"] == document["problem"]["Nk"] == 64
    names = {"name", "fits", "tiles", "reads", "writes", "io", "peak", "least_M", "ratio", "by_array"}
    for row in document["schedules"]:
        assert set(row) - {"chosen"} == names
        if row["fits"]:
            assert row["io"] == row["reads"] + row["writes"]
            assert row["reads"] == sum(moved["reads"] for moved in row["by_array"].values())
            assert row["writes"] == sum(moved["writes"] for moved in row["by_array"].values())
            assert row["peak"] <= 100
            assert row["least_M"] <= 100
        else:
            assert row["least_M"] > 100
            assert [row[name] for name in ("reads", "writes", "io", "peak", "ratio")] == [None] * 5
    for bound in document["bounds"]:
        assert set(bound) == {"name", "value", "proved", "status", "source", "rules", "note"}
        assert bound["proved"] == (bound["status"] != "asymptotic")
        assert not bound["proved"] or isinstance(bound["value"], int)


def test_ratio_is_io_over_the_greatest_proved_bound(pebble: Pebble) -> None:
    document = _document(pebble(*COUNT, "--json"))
    best = max(bound["value"] for bound in document["bounds"] if bound["proved"])
    for row in document["schedules"]:
        if row["fits"]:
            assert row["ratio"] == row["io"] / best >= 1


@pytest.mark.parametrize(
    ("N", "M", "most_io", "most_ratio"), [(4096, 25_000, 12_058_624, 1.096), (65_536, 16_384, None, 1.06)]
)
def test_flash_2_is_near_the_bound(
    pebble: Pebble, N: int, M: int, most_io: int | None, most_ratio: float
) -> None:
    done = pebble("count", "-N", str(N), "-d", "64", "-M", str(M), "--schedule", "flash-2", "--json")
    (row,) = _document(done)["schedules"]
    assert row["fits"]
    assert row["ratio"] <= most_ratio
    assert most_io is None or row["io"] <= most_io


def test_count_lists_schedules_in_the_order_asked_for(pebble: Pebble) -> None:
    for arguments in (["--schedule", "flash-2,flash-1"], ["--schedule", "flash-2", "flash-1"]):
        document = _document(pebble(*COUNT, *arguments, "--json"))
        assert [row["name"] for row in document["schedules"]] == ["flash-2", "flash-1"]
    twice = _document(pebble(*COUNT, "--schedule", "flash-2", "--schedule", "flash-2", "--json"))
    assert [row["name"] for row in twice["schedules"]] == ["flash-2"]


def test_count_csv_says_the_same_as_json(pebble: Pebble) -> None:
    rows = list(csv.DictReader(io.StringIO(pebble(*COUNT, "--csv").out)))
    document = _document(pebble(*COUNT, "--json"))
    assert [row["name"] for row in rows] == [row["name"] for row in document["schedules"]]
    for row, expected in zip(rows, document["schedules"], strict=True):
        for name in ("reads", "writes", "io", "peak", "least_M"):
            assert row[name] == ("" if expected[name] is None else str(expected[name]))
        assert row["fits"] == ("true" if expected["fits"] else "false")


def test_count_table_says_the_same_as_json(pebble: Pebble) -> None:
    done = pebble(*COUNT)
    document = _document(pebble(*COUNT, "--json"))
    schedules = done.out.split("\n\n")[1]
    lines = {line.split()[0]: line for line in schedules.splitlines()}
    for row in document["schedules"]:
        assert f"{row['io']:,}" in lines[row["name"]] if row["fits"] else "does not fit" in lines[row["name"]]
    for bound in document["bounds"]:
        assert bound["source"] in done.out


@pytest.mark.parametrize(
    ("text", "number"), [("1000", 1000), ("1_000", 1000), ("1,000", 1000), ("10**3", 1000), ("1e3", 1000)]
)
def test_sizes_may_be_written_in_several_ways(pebble: Pebble, text: str, number: int) -> None:
    document = _document(pebble("bounds", "-N", text, "-d", "4", "-M", "100", "--json"))
    assert document["problem"]["Nq"] == number


def test_bytes_are_words_of_the_dtype(pebble: Pebble) -> None:
    in_bytes = pebble("count", *SIZES, "-M", "1KiB", "--dtype", "float16", "--schedule", "flash-2", "--json")
    in_words = pebble("count", *SIZES, "-M", "512", "--schedule", "flash-2", "--json")
    assert _document(in_bytes) == _document(in_words)


def test_options_of_the_problem_arrive(pebble: Pebble) -> None:
    arguments = ["-N", "6", "--kv", "5", "-d", "3", "--dv", "2", "--heads", "7", "--batch", "11", "--stats"]
    document = _document(pebble("count", *arguments, "-M", "60", "--json"))
    expected = {"Nq": 6, "Nk": 5, "d": 3, "dv": 2, "stats": True, "heads": 7, "batch": 11}
    assert expected.items() <= document["problem"].items()


# -- what does not fit


def test_one_schedule_that_does_not_fit_is_a_row(pebble: Pebble) -> None:
    done = pebble("count", *SIZES, "-M", "11", "--json")
    rows = {row["name"]: row for row in _document(done)["schedules"]}
    assert done.code == 0
    assert not rows["flash-2"]["fits"]
    assert rows["flash-2"]["least_M"] == 12
    assert rows["small-cache"]["fits"]


@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"]])
def test_nothing_fits(pebble: Pebble, form: list[str]) -> None:
    done = pebble("count", *SIZES, "-M", "3", *form)
    done.refused(1, "M = 3", "4 words", "3 predecessors")
    if form == ["--json"]:
        assert not any(row["fits"] for row in _document(done)["schedules"])


def test_least_M_is_exact(pebble: Pebble) -> None:
    for name in ("naive", "flash-1", "flash-2", "small-cache", "square-tile", "hybrid", "best"):
        (row,) = _document(pebble(*COUNT, "--schedule", name, "--json"))["schedules"]
        least = row["least_M"]
        assert pebble("count", *SIZES, "-M", str(least), "--schedule", name).code == 0
        pebble("count", *SIZES, "-M", str(least - 1), "--schedule", name).refused(1, str(least))


def test_given_tiles_that_do_not_fit(pebble: Pebble) -> None:
    done = pebble(*COUNT, "--schedule", "flash-2", "--tiles", "rows=64", "--json")
    done.refused(1, "flash-2")
    (row,) = _document(done)["schedules"]
    assert not row["fits"]
    assert row["tiles"] == {"rows": 64}
    assert (
        pebble("count", *SIZES, "-M", str(row["least_M"]), "--schedule", "flash-2", "--tiles", "rows=64").code
        == 0
    )
    pebble(*COUNT, "--schedule", "flash-2", "--tiles", "paper").refused(1, "needs")


# -- what is refused as unusable


BAD_SIZES = ["0", "-1", "1.5", "nan", "inf", "-inf", "", "x", "10**-1", "2**0.5", "--5", "1e-3", "10**10**10"]
OVERFLOW = "sizes that do not fit 64 bits end in a traceback"
HUGE = ["1e400", "1e20", "9223372036854775808", "10**30", "10**100000"]


@pytest.mark.parametrize("option", ["-N", "--kv", "-d", "--dv", "--heads", "--batch"])
@pytest.mark.parametrize("text", BAD_SIZES)
def test_bad_sizes(pebble: Pebble, option: str, text: str) -> None:
    sizes = {"-N": "64", "-d": "4", option: text}
    arguments = [part for pair in sizes.items() for part in pair]
    pebble("count", *arguments, "-M", "100").refused(2, option)


@pytest.mark.parametrize("text", HUGE)
def test_huge_sizes(pebble: Pebble, text: str) -> None:
    done = pebble("count", "-N", text, "-d", "4", "-M", "100", "--schedule", "flash-2")
    if done.code != 0:
        done.refused(2)


def test_huge_memory(pebble: Pebble) -> None:
    done = pebble("count", "-N", "8", "-d", "4", "-M", "1" + 80 * "0")
    if done.code != 0:
        done.refused(2)


def test_sizes_are_read_exactly(pebble: Pebble) -> None:
    number = 123_456_789_012_345_678
    document = _document(pebble("bounds", "-N", f"{number}e0", "-d", "4", "-M", "100", "--json"))
    assert document["problem"]["Nq"] == number


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-M", "0"], ["'0'", "less than one word"]),
        (["-M", "-1"], ["'-1'", "cannot read"]),
        (["-M", "1.5"], ["'1.5'", "whole number"]),
        (["-M", "nan"], ["'nan'"]),
        (["-M", ""], ["''"]),
        (["-M", "192KiB"], ["bytes", "dtype"]),
        (["-M", "1B", "--dtype", "float16"], ["less than one word"]),
        (["-M", "192KiB", "--dtype", "float17"], ["float17", "float16"]),
        (["-M", "100", "--dtype", "float17"], ["float17", "float16"]),
    ],
)
@pytest.mark.parametrize("command", ["count", "bounds", "show", "moves"])
def test_bad_memory(pebble: Pebble, command: str, arguments: list[str], words: list[str]) -> None:
    head = {"show": ["show", "flash-2"], "moves": ["moves", "flash-2", "-o", "-"]}.get(command, [command])
    done = pebble(*head, *SIZES, *arguments)
    done.refused(2, *words)
    assert done.out == ""


@pytest.mark.parametrize("command", ["count", "show", "moves"])
def test_unknown_schedule_is_guessed_at(pebble: Pebble, command: str) -> None:
    for name, words in (("flash2", ["did you mean flash-2?"]), ("zzz", ["small-cache"])):
        head = {"count": ["count", "--schedule", name], "show": ["show", name]}
        done = pebble(*head.get(command, ["moves", name, "-o", "-"]), *SIZES, "-M", "100")
        done.refused(2, f"'{name}'", *words)


@pytest.mark.parametrize(
    ("tiles", "words"),
    [
        ("rows=", ["'rows='", "example"]),
        ("=3", ["'=3'"]),
        ("rows=x", ["'rows=x'"]),
        ("rows=-1", ["'rows=-1'"]),
        ("rows=1.5", ["'rows=1.5'"]),
        ("rows=2,", ["''"]),
        ("rows=²", ["²"]),
        ("rows=0", ["rows=0", "≥ 1"]),
        ("rows=3,rows=4", ["rows twice"]),
        ("rows=3,foo=4", ["foo", "rows, cols"]),
        ("papr", ["'papr'", "literal, paper"]),
        ("", ["literal, paper"]),
    ],
)
@pytest.mark.parametrize("command", ["count", "show", "moves"])
def test_bad_tiles(pebble: Pebble, command: str, tiles: str, words: list[str]) -> None:
    heads = {"count": ["count", "--schedule", "flash-2"], "show": ["show", "flash-2"]}
    head = heads.get(command, ["moves", "flash-2", "-o", "-"])
    pebble(*head, *SIZES, "-M", "100", "--tiles", tiles).refused(2, *words)


def test_commands_and_options_that_are_not_there(pebble: Pebble) -> None:
    pebble("coutn").refused(2, "coutn", "Did you mean 'count'?")
    pebble("frobnicate").refused(2, "frobnicate")
    pebble(*COUNT, "--frob").refused(2, "--frob")
    pebble("count", *SIZES).refused(2, "-M")
    pebble("count", "-d", "4", "-M", "9").refused(2, "-N")
    pebble("schedules", "more").refused(2, "more")
    pebble("check").refused(2, "FILE")
    pebble(*COUNT, "flash-2").refused(2, "flash-2", "--schedule")
    pebble(*COUNT, "--json", "--csv").refused(2, "--json", "--csv")


def test_no_command_shows_the_commands(pebble: Pebble) -> None:
    done = pebble()
    assert done.code == 2
    for name in ("count", "show", "bounds", "schedules", "moves", "check"):
        assert f"  {name} " in done.out + done.err


@pytest.mark.parametrize("command", ["", "count", "show", "bounds", "schedules", "moves", "check"])
def test_help(pebble: Pebble, command: str) -> None:
    done = pebble(*command.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: pebble {command}".rstrip())


def test_version(pebble: Pebble) -> None:
    from importlib.metadata import version

    assert pebble("--version").out.split()[-1] == version("pebble-io")


# -- bounds, show, schedules


def test_bounds_json_is_that_of_count(pebble: Pebble) -> None:
    alone = _document(pebble("bounds", *SIZES, "-M", "100", "--json"))
    document = _document(pebble(*COUNT, "--json"))
    points = ["dividing_point", "sparse_dividing_point"]
    assert list(alone) == ["schema_version", "problem", "M", "regime", *points, "bounds"]
    assert all(alone[name] == document[name] for name in alone)
    assert "asymptotic" in pebble("bounds", *SIZES, "-M", "100").out


def test_show(pebble: Pebble) -> None:
    document = _document(pebble("show", "flash-2", *SIZES, "-M", "100", "--json"))
    expected = {
        "schema_version",
        "schedule",
        "source",
        "problem",
        "tiles",
        "pseudo_code",
        "by_array",
        "legend",
        "note",
        "io",
        "peak",
        "M",
        "fits",
    }
    assert set(document) == expected
    (row,) = _document(pebble(*COUNT, "--schedule", "flash-2", "--json"))["schedules"]
    assert (document["tiles"], document["io"]["value"]) == (row["tiles"], row["io"])
    for side in ("reads", "writes"):
        values = {name: entry["value"] for name, entry in document["by_array"][side].items()}
        assert values == {name: moved[side] for name, moved in row["by_array"].items() if moved[side]}
    text = pebble("show", "flash-2", *SIZES, "-M", "100").out
    assert document["pseudo_code"] in text
    assert document["io"]["formula"] in text


def test_show_without_memory(pebble: Pebble) -> None:
    pebble("show", "flash-2", *SIZES).refused(2, "M", "tile sizes")
    assert "⌈N/9⌉" in pebble("show", "flash-2", *SIZES, "--tiles", "rows=9").out
    pebble("show", "flash-2", *SIZES, "-M", "11").refused(1, "12 words", "11")


def test_show_of_tiles_that_do_not_fit(pebble: Pebble) -> None:
    done = pebble("show", "flash-2", *SIZES, "-M", "20", "--tiles", "rows=60")
    assert done.code == 1 or "does not fit" in done.out


def test_schedules(pebble: Pebble) -> None:
    document = _document(pebble("schedules", "--json"))
    assert list(document) == ["schema_version", "schedules"]
    for entry in document["schedules"]:
        assert set(entry) == {"name", "summary", "source", "passes", "tiles", "presets"}
        assert all(entry[name] for name in ("name", "summary", "source", "passes"))
    text = pebble("schedules").out
    assert all(entry["summary"] in text for entry in document["schedules"])


# -- moves and check


def _write(folder: Path, text: str) -> str:
    path = folder / "some.pebbling"
    path.write_text(text, encoding="utf-8")
    return str(path)


HEAD = "# pebbling 1\n# dag attention-forward Nq=2 Nk=2 d=2 dv=2\n# M 12\n"


def test_check_agrees_with_count(pebble: Pebble, tmp_path: Path) -> None:
    path = str(tmp_path / "small.pebbling")
    sizes = ["-N", "5", "--kv", "4", "-d", "3", "--dv", "2", "--stats", "-M", "40"]
    done = pebble("moves", "flash-2", *sizes, "-o", path)
    assert (done.code, done.out) == (0, "")
    checked = _document(pebble("check", path, "--json"))
    (row,) = _document(pebble("count", *sizes, "--schedule", "flash-2", "--json"))["schedules"]
    assert (checked["legal"], checked["complete"], checked["missing"]) == (True, True, [])
    assert [checked[name] for name in ("reads", "writes", "io", "peak")] == [
        row[name] for name in ("reads", "writes", "io", "peak")
    ]
    assert checked["dag"] == {
        "name": "attention-forward",
        "Nq": "5",
        "Nk": "4",
        "d": "3",
        "dv": "2",
        "stats": "1",
    }
    assert pebble("check", path).out.startswith("legal, complete; ")


def test_moves_to_standard_output(pebble: Pebble, tmp_path: Path) -> None:
    path = tmp_path / "small.pebbling"
    arguments = ["moves", "flash-2", "-N", "4", "-d", "2", "-M", "16", "-o"]
    assert pebble(*arguments, str(path)).code == 0
    done = pebble(*arguments, "-")
    assert done.out == path.read_text(encoding="utf-8")
    assert done.err == ""


def test_progress_only_on_a_terminal(pebble: Pebble, tmp_path: Path) -> None:
    done = pebble("moves", "flash-2", "-N", "4", "-d", "2", "-M", "16", "-o", str(tmp_path / "x"))
    assert len(done.err.splitlines()) == 1


def test_moves_of_several_heads(pebble: Pebble, tmp_path: Path) -> None:
    arguments = ["moves", "flash-2", "-N", "4", "-d", "2", "-M", "16", "--heads", "3"]
    done = pebble(*arguments, "-o", str(tmp_path / "x"))
    assert done.code == 2 or "one of 3" in done.err


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ("compute S[0,0,0]\n", ["line 4", "move 0", "predecessors", "load"]),
        ("load S[0,0,0]\n", ["line 4", "blue", "compute"]),
        ("store Q[0,0]\n", ["line 4", "red", "load"]),
        ("delete Q[0,0]\n", ["line 4", "red"]),
        ("compute Q[0,0]\n", ["line 4", "input", "load"]),
        ("load Q[0,9]\n", ["line 4", "Q[0,9]", "did you mean"]),
        ("\n# note\nload Q[0,0]\nload Q[2,0]\n", ["line 7", "move 1", "Q[2,0]"]),
    ],
)
def test_illegal_moves(pebble: Pebble, tmp_path: Path, moves: str, words: list[str]) -> None:
    path = _write(tmp_path, HEAD + moves)
    done = pebble("check", path)
    assert done.code == 1
    assert len(done.out.splitlines()) == 1
    assert done.out.startswith("illegal at ")
    assert all(word in done.out for word in words)
    document = _document(pebble("check", path, "--json"))
    assert (document["legal"], document["complete"]) == (False, False)
    assert set(document["fault"]) == {"line", "move_number", "move", "rule", "reason", "remedy"}
    assert f"line {document['fault']['line']}:" in done.out


def test_memory_full(pebble: Pebble, tmp_path: Path) -> None:
    path = _write(tmp_path, HEAD.replace("M 12", "M 1") + "load Q[0,0]\nload Q[0,1]\n")
    done = pebble("check", path)
    assert done.code == 1
    assert "holds 1 of 1" in done.out


def test_incomplete(pebble: Pebble, tmp_path: Path) -> None:
    done = pebble("check", _write(tmp_path, HEAD + "load Q[0,0]\n"))
    assert done.code == 1
    assert "4 of 4 outputs are not blue: O[0,0]" in done.out
    document = _document(pebble("check", _write(tmp_path, HEAD), "--json"))
    assert (document["legal"], document["complete"]) == (True, False)
    assert document["missing"] == ["O[0,0]", "O[0,1]", "O[1,0]", "O[1,1]"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["line 1", "empty", "# pebbling 1"]),
        (b"hello\n", ["line 1", "# pebbling 1"]),
        (b"# pebbling 2\n", ["line 1", "version 1"]),
        (b"\x93\x00\xff\xfe", ["line 1", "UTF-8"]),
        (HEAD.encode() + b"laod Q[0,0]\n", ["line 4", "'laod'", "load, store"]),
        (HEAD.encode() + b"load\n", ["line 4", "no vertex"]),
        (HEAD.encode() + b"load Q[0,0] K[0,0]\n", ["line 4"]),
        (HEAD.encode() + b"load Q[0,0]\nloa", ["line 5", "ends in the middle"]),
        (HEAD.encode() + b"load \xff\n", ["line 4", "UTF-8"]),
        (HEAD.replace("M 12", "M 0").encode(), ["line 3", "M"]),
        (HEAD.replace("M 12", "M 1.5").encode(), ["line 3", "M"]),
        (HEAD.replace("Nq=2", "Nq=0").encode(), ["line 2", "Nq"]),
        (HEAD.replace("Nq=2", "Nq=x").encode(), ["line 2", "Nq"]),
        (HEAD.replace("Nq=2 ", "").encode(), ["line 2", "Nq"]),
        (HEAD.replace("Nq=2", "Nx=2").encode(), ["line 2", "Nx"]),
        (HEAD.replace("attention-forward", "foo").encode(), ["line 2", "'foo'", "attention-forward"]),
        (HEAD.replace("Nq=2", "Nq=1000000000000").encode(), ["line 2", "too large"]),
        (HEAD.replace("Nq=2", "Nq=" + 40 * "9").encode(), ["line 2"]),
    ],
)
def test_files_that_are_no_pebblings(
    pebble: Pebble, tmp_path: Path, content: bytes, words: list[str]
) -> None:
    path = tmp_path / "bad.pebbling"
    path.write_bytes(content)
    done = pebble("check", str(path))
    done.refused(1, "bad.pebbling", *words)
    assert done.out == ""
    as_json = pebble("check", str(path), "--json")
    document = _document(as_json)
    assert (document["legal"], document["complete"]) == (False, False)
    assert as_json.code == 1
    assert f"pebble: {document['error']}\n" == as_json.err


def test_files_that_cannot_be_read(pebble: Pebble, tmp_path: Path) -> None:
    missing = pebble("check", str(tmp_path / "nothing"))
    assert missing.code in (1, 2)
    missing.refused(missing.code, "nothing", "No such file")
    folder = pebble("check", str(tmp_path))
    folder.refused(folder.code, "directory")
    assert folder.code in (1, 2)


@pytest.mark.parametrize("target", ["no/such/folder/x", "."])
def test_outputs_that_cannot_be_written(
    pebble: Pebble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = pebble("moves", "flash-2", "-N", "4", "-d", "2", "-M", "16", "-o", target)
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith(f"pebble: cannot write {target}: ")
    assert list(tmp_path.iterdir()) == []


def test_moves_that_do_not_fit_leave_the_file_alone(pebble: Pebble, tmp_path: Path) -> None:
    path = tmp_path / "keep"
    path.write_text("precious", encoding="utf-8")
    pebble("moves", "flash-2", *SIZES, "-M", "11", "-o", str(path)).refused(1, "12")
    pebble("moves", "flash-2", *SIZES, "-M", "20", "--tiles", "rows=60", "-o", str(path)).refused(1, "20")
    assert path.read_text(encoding="utf-8") == "precious"
    assert [entry.name for entry in tmp_path.iterdir()] == ["keep"]


def test_too_many_moves_are_not_begun(pebble: Pebble, tmp_path: Path) -> None:
    done = pebble("moves", "flash-2", "-N", "10**9", "-d", "64", "-M", "10000", "-o", str(tmp_path / "x"))
    assert done.code == 2
    assert "moves" in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []
