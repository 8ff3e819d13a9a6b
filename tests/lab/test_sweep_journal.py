"""Journals of sweeps: good wherever they are cut, refused where they are changed."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

from pebble.common.errors import InvalidInput, PebbleError
from pebble.lab.sweep import run_sweep, sweep_grid
from pebble.lab.sweep.journal import Journal
from pebble.lab.sweep.point import count_point
from tests.lab.sweeps import SMALL, expected, interrupted, posix


def test_journal_is_what_the_page_says(tmp_path: Path) -> None:
    header, *lines = interrupted(tmp_path / "out.csv", 3).read_text(encoding="ascii").splitlines()
    found = json.loads(header)
    assert list(found) == ["journal", "version", "fingerprint", "grid"]
    assert found["fingerprint"] == SMALL.fingerprint
    assert [json.loads(line)["point"] for line in lines] == [0, 1, 2]
    for line in lines:
        body = line.partition(', "sha256"')[0] + "}"
        digest = hashlib.sha256((SMALL.fingerprint + body).encode("ascii")).hexdigest()
        assert json.loads(line) == {**json.loads(body), "sha256": digest}
    assert [json.loads(line)["rows"] for line in lines] == [count_point(SMALL.point(i)) for i in range(3)]


def test_a_journal_cut_anywhere_is_good(tmp_path: Path) -> None:
    """The process may die, or the disk fill up, after any byte."""
    out = tmp_path / "out.csv"
    journal = interrupted(out, 8)
    whole = journal.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    cuts = {0, 1, 40, ends[0] - 1, ends[0], ends[0] + 1, ends[5] - 1, ends[5], ends[5] + 9, len(whole) - 1}
    for cut in sorted(cuts):
        journal.write_bytes(whole[:cut])
        assert run_sweep(SMALL, out).resumed == max(0, sum(end <= cut for end in ends) - 1)
        assert out.read_bytes() == expected(SMALL)
        assert not journal.exists()


def test_journals_that_do_not_fit(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    journal = interrupted(out)
    whole = journal.read_bytes()
    lines = whole.splitlines(keepends=True)
    other = sweep_grid("4,6", 2, "4:40:5", "naive,flash-2")
    with pytest.raises(InvalidInput, match=r"another grid \(it differs in M\).*--restart"):
        run_sweep(other, out)
    assert journal.read_bytes() == whole
    version = whole.replace(b'"version": "', b'"version": "9')
    spoilt = {
        "version 9": version,
        "damaged at line 3": b"".join([*lines[:2], b"{}\n", *lines[3:]]),
        "damaged at line 2": whole.replace(b'"point": 0', b'"point": 8'),
    }
    for word, content in spoilt.items():
        journal.write_bytes(content)
        with pytest.raises(InvalidInput, match=f"{word}.*--restart"):
            run_sweep(SMALL, out)
        assert journal.read_bytes() == content
        assert run_sweep(SMALL, out, restart=True).resumed == 0
        assert out.read_bytes() == expected(SMALL)


@pytest.mark.parametrize("content", [b"my notes", b"my notes\n", b"{}\n", b"\xff\n", b'["journal"]\n'])
@pytest.mark.parametrize("restart", [False, True])
def test_a_file_that_is_no_journal_is_left_alone(content: bytes, restart: bool, tmp_path: Path) -> None:
    other = tmp_path / "out.csv.partial"
    other.write_bytes(content)
    with pytest.raises(InvalidInput, match="no journal"):
        run_sweep(SMALL, tmp_path / "out.csv", restart=restart)
    assert other.read_bytes() == content


@posix
def test_two_sweeps_into_one_file(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "out.csv.partial", SMALL)
    with pytest.raises(InvalidInput, match="another sweep is writing"):
        run_sweep(SMALL, tmp_path / "out.csv")
    journal.close()
    assert len(run_sweep(SMALL, tmp_path / "out.csv").rows) == 16


def _signed(line: dict[str, Any]) -> bytes:
    """A line of the journal of the small grid with the checksum that belongs to it."""
    body = json.dumps({"point": line["point"], "rows": line["rows"]})
    digest = hashlib.sha256((SMALL.fingerprint + body).encode("ascii")).hexdigest()
    return (json.dumps({**json.loads(body), "sha256": digest}) + "\n").encode("ascii")


def test_a_byte_changed_anywhere_never_reaches_the_result(tmp_path: Path) -> None:
    """Whatever byte is changed, the journal is refused, or what cannot be believed is counted again."""
    out, rng = tmp_path / "out.csv", random.Random(5)
    journal = interrupted(out)
    whole = journal.read_bytes()
    refused = 0
    for _ in range(60):
        at = rng.randrange(len(whole))
        changed = bytearray(whole)
        changed[at] = rng.choice(b'0123456789,{}[]":ntrue \n')
        journal.write_bytes(changed)
        try:
            run_sweep(SMALL, out)
        except InvalidInput:
            refused += 1
        else:
            assert out.read_bytes() == expected(SMALL), (at, changed[at])
    assert refused > 40
    for at, byte in enumerate(whole):
        if whole[at - 6 : at] == b'"io": ' and byte in b"123456789":
            journal.write_bytes(whole[:at] + bytes([byte ^ 1]) + whole[at + 1 :])
            if whole[at:].count(b"\n") > 1:
                with pytest.raises(
                    InvalidInput, match="its checksum is not that of its content; delete that line"
                ):
                    run_sweep(SMALL, out)


def test_rows_that_cannot_be_true(tmp_path: Path) -> None:
    """Even with the right checksum: the parameters of another point, another schedule, a wrong sum."""
    out = tmp_path / "out.csv"
    journal = interrupted(out)
    header, *lines = journal.read_bytes().splitlines(keepends=True)
    second = json.loads(lines[1])
    assert _signed(second) == lines[1]
    fits = next(row for row in second["rows"] if row["fits"])
    place = second["rows"].index(fits)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"point": 3, "rows": second["rows"]}, r"M = .* and point 3 of the grid has"),
        ({"point": 0, "rows": json.loads(lines[0])["rows"]}, "point 0 is there twice"),
        ({"point": 8, "rows": second["rows"]}, "the grid has no point 8"),
        ({"point": True, "rows": second["rows"]}, "the grid has no point True"),
        ({"point": 1, "rows": second["rows"][:1]}, "should have 2 rows"),
        ({"point": 1, "rows": second["rows"][::-1]}, "a row says schedule = "),
    ]
    summed = ("reads", "writes", "io")
    for name, value in (
        ("reads", fits["reads"] + 1),
        ("io", None),
        ("writes", "1"),
        ("Nq", 7),
        ("mask", "causal"),
    ):
        rows = [row | ({name: value} if at == place else {}) for at, row in enumerate(second["rows"])]
        wrong.append(({"point": 1, "rows": rows}, "reads .* =" if name in summed else f"a row .*{name}"))
    for line, message in wrong:
        journal.write_bytes(b"".join([header, lines[0], _signed(line), *lines[2:]]))
        with pytest.raises(
            InvalidInput, match=f"damaged at line 3: .*{message}.*delete that line.*--restart"
        ):
            run_sweep(SMALL, out)
    journal.write_bytes(b"".join([header, lines[0], *lines[2:]]))
    assert run_sweep(SMALL, out).resumed == 4
    assert out.read_bytes() == expected(SMALL)


def test_journals_without_checksums_are_refused(tmp_path: Path) -> None:
    """As they were written before there were any: nobody can say whether they are as they were written."""
    out = tmp_path / "out.csv"
    journal = interrupted(out)
    header, *lines = journal.read_bytes().splitlines(keepends=True)
    plain = [json.loads(line) for line in lines]
    old = [json.dumps({"point": p["point"], "rows": p["rows"]}).encode("ascii") + b"\n" for p in plain]
    for kept in (old, old[:1]):
        journal.write_bytes(b"".join([header, *kept]))
        with pytest.raises(InvalidInput, match=r"no checksums.*go on with that one, or --restart"):
            run_sweep(SMALL, out)
        assert journal.read_bytes() == b"".join([header, *kept])
    assert run_sweep(SMALL, out, restart=True).resumed == 0
    assert out.read_bytes() == expected(SMALL)


def test_a_journal_that_changes_while_it_is_used(tmp_path: Path) -> None:
    path = interrupted(tmp_path / "out.csv")
    journal = Journal(path, SMALL)
    text = path.read_bytes()
    path.write_bytes(text.replace(b'"fits": true', b'"fits": null'))
    with pytest.raises(PebbleError, match="has changed while it was in use"):
        [journal.rows(index) for index in range(5)]
    journal.close()


def test_masks_are_compared_too(tmp_path: Path) -> None:
    grid = sweep_grid(6, 2, "9:40:2", "flash-2", masks=["none", "causal", "window:2"])
    done = run_sweep(grid, tmp_path / "all.csv")
    seen = Journal(tmp_path / "x.partial", grid)
    seen.add([(index, count_point(grid.point(index))) for index in (4, 0, 3)])
    seen.close()
    (tmp_path / "x.partial").rename(tmp_path / "x.csv.partial")
    assert run_sweep(grid, tmp_path / "x.csv").resumed == 3
    assert (tmp_path / "x.csv").read_bytes() == (tmp_path / "all.csv").read_bytes()
    assert len(done) == 6
