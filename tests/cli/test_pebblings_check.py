"""The command ``pebble check``: legal or not, complete or not, and files that are no pebblings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import Pebble, document_of


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
    checked = document_of(pebble("check", path, "--json"))
    (row,) = document_of(pebble("count", *sizes, "--schedule", "flash-2", "--json"))["schedules"]
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
    document = document_of(pebble("check", path, "--json"))
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
    document = document_of(pebble("check", _write(tmp_path, HEAD), "--json"))
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
    document = document_of(as_json)
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
