"""A class's pebblings, ranked: ties, copies, and every kind of file that gets no rank."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

from pebble.computations.load import load_dag
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.graph.fingerprint import dag_hash
from pebble.lab.pebblings import check, moves
from pebble.lab.ranking import RankedFile, Ranking, rank_pebblings
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.optimum import optimal
from tests.support.commands import Pebble, document_of

NAME, M = "fft:4", 4
STRICT = "# rules recomputation=no\n"
SEARCHED: dict[Any, Any] = {}


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Files of 11, 12 and 14 words; the first is optimal."""
    dag = load_dag(NAME)
    pebblings: dict[str, Any] = {
        "ann.peb": optimal(dag, M),
        "bob.peb": schedule_dag(dag, M, order="greedy", eviction="fifo"),
        "cem.peb": schedule_dag(dag, M, order="given"),
    }
    found = {}
    for name, pebbling in pebblings.items():
        pebbling.write(out := io.StringIO(), NAME)
        found[name] = out.getvalue().replace(STRICT, "")
    return found


@pytest.fixture(autouse=True)
def searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the exact search for one game be made once for all tests."""

    def search(dag: Dag, M: int, rules: Rules, **more: Any) -> Any:
        game = dag_hash(dag), M, rules
        if game not in SEARCHED:
            SEARCHED[game] = optimal(dag, M, rules, **more)
        return SEARCHED[game]

    monkeypatch.setattr("pebble.lab.ranking.optimal", search)


@pytest.fixture
def best(texts: dict[str, str]) -> str:
    return texts["ann.peb"]


@pytest.fixture
def homework(tmp_path: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def _row(found: Ranking, file: str) -> RankedFile:
    return next(row for row in found.files if row.file == file)


def _fault(folder: Path, content: str | bytes) -> str:
    """Add a file to those of a class, and return why it gets no rank."""
    (folder / "zoe.peb").write_bytes(content if isinstance(content, bytes) else content.encode())
    found = rank_pebblings(folder)
    assert found.files[-1].rank is None
    assert [row.rank for row in found.files[:3]] == [1, 2, 3]
    return _row(found, "zoe.peb").fault


def test_the_ranking_has_the_counts_of_check_and_the_distance_from_the_optimum(homework: Path) -> None:
    found = rank_pebblings(homework)
    assert [(row.rank, row.file, row.distance) for row in found.files] == [
        (1, "ann.peb", 0),
        (2, "bob.peb", 1),
        (3, "cem.peb", 3),
    ]
    assert (found.optimum, found.least, found.bound) == (11, 11, "exact search")
    for row in found.to_dict()["files"]:
        alone = check(homework / row["file"])
        assert all(row[name] == getattr(alone, name) for name in ("io", "reads", "writes", "peak"))


def test_ties_share_a_rank_and_copies_are_named(homework: Path) -> None:
    text = (homework / "bob.peb").read_text()
    (homework / "dan.peb").write_text(text.replace("load ", "load \t") + "# all my own work\n")
    found = rank_pebblings(homework)
    assert [(row.rank, row.file) for row in found.files] == [
        (1, "ann.peb"),
        (2, "bob.peb"),
        (2, "dan.peb"),
        (4, "cem.peb"),
    ]
    assert [row.same_moves_as for row in found.files] == [None, None, "bob.peb", None]
    assert "same moves as bob.peb" in str(found)


def test_illegal_and_unfinished_files_come_last(homework: Path, best: str) -> None:
    full = best.replace("delete", "# delete", 1)
    assert _fault(homework, full).startswith("line 11, memory-full: ")
    row = _row(rank_pebblings(homework), "zoe.peb")
    assert (row.to_dict()["line"], row.to_dict()["rule"], row.to_dict()["io"]) == (11, "memory-full", None)
    assert _fault(homework, best[: best.index("store")]).startswith("not complete: 4 of 4 outputs")
    assert _fault(homework, full.encode() + b"#\n" * 200_000 + b"\xff").startswith("line 11, memory-full: ")
    assert _fault(homework, best.replace("load", "laod")).startswith("line 4: unknown operation 'laod'")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"\x80", "UTF-8"),
        (b"hello", "begins with '# pebbling 1'"),
        (b"# pebbling 1\n# dag nothing\n# M 6\n", "line 2"),
        (b"# pebbling 1\n# dag pyramid:2\n# M 4\n", "another game: pyramid:2, M = 4"),
        (b"# pebbling 1\n# dag matmul m=1 n=1 k=1\n# levels 3 4\n", "several memory levels"),
    ],
)
def test_files_that_are_no_pebblings_of_the_game(homework: Path, content: bytes, words: str) -> None:
    assert words in _fault(homework, content)


def test_all_are_judged_by_the_rules_of_most(homework: Path, best: str) -> None:
    (homework / "dan.peb").write_text(best.replace("# M 4\n", f"# M 4\n{STRICT}"))
    found = rank_pebblings(homework)
    assert [(row.rank, row.same_moves_as) for row in found.files[:2]] == [(1, None), (1, "ann.peb")]
    (homework / "dan.peb").unlink()
    twice = best.replace("# M 4\n", f"# M 4\n{STRICT}").replace("compute x[1,1]\n", "compute x[1,1]\n" * 2)
    assert _fault(homework, f"{twice}unload x[1,1]\n").startswith("line 40: unknown operation 'unload'")
    loose = best.replace("# M 4\n", "# M 4\n# rules sliding=yes\n")
    slid = loose[: loose.index("compute")] + "slide x[1,0] from x[0,0]\n"
    assert _fault(homework, slid).startswith("line 7, ")


def test_without_an_exact_search_the_best_bound_is_the_measure(tmp_path: Path) -> None:
    for name in ("flash-2", "naive"):
        moves(name, Problem.square(8, 2), 40).write(tmp_path / name)
    found = rank_pebblings(tmp_path)
    assert (found.optimum, found.files[0].file) == (None, "flash-2")
    assert found.files[1].distance == found.files[1].to_dict()["io"] - (found.least or 0)
    assert "above bound" in str(found)
    assert "at least" in str(found)


def test_names_that_would_spoil_the_table_are_quoted(homework: Path, best: str) -> None:
    for name in (b"a\nb", b"\xff"):
        Path(os.fsdecode(os.fsencode(homework / "x")[:-1] + name)).write_text(best)
    (homework / ".hidden").write_text("")
    (homework / "folder").mkdir()
    (homework / "lost").symlink_to("nowhere")
    found = rank_pebblings(homework)
    assert len(found.files) == 6
    assert sum(row.file.startswith("'") for row in found.files) == 2
    str(found).encode()
    assert _row(found, "lost").fault == "not a file that can be read"


def test_the_command_prints_the_table_or_one_document(homework: Path, pebble: Pebble) -> None:
    done = pebble("check", "--ranking", str(homework))
    assert (done.code, done.out.splitlines()[4].split()[:3]) == (0, ["1", "ann.peb", "11"])
    document = document_of(pebble("check", str(homework), "--ranking", "--json"))
    assert document == rank_pebblings(homework).to_dict()
    assert (document["schema_version"], document["dag"], document["M"]) == (1, {"name": NAME}, M)
    assert document["rules"] == {"recomputation": True, "sliding": False}
