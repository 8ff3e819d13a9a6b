"""Rows of T3 and T4 in a Coq file: the row that gives a bound, with the tree of boxes that proves its constant.

``python -m pebble.lower_bounds.certified.coq_rows > rows.v`` writes all rows; with numbers, those of these mu.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from fractions import Fraction

from pebble.lower_bounds.certified.box_test import BoxTest
from pebble.lower_bounds.certified.box_trees import box_tree
from pebble.lower_bounds.certified.parameters import SCALE, best_row
from pebble.lower_bounds.certified.t3 import T3Row
from pebble.lower_bounds.certified.t4 import T4Row
from pebble.lower_bounds.counts import Counts

__all__ = ["BOUNDS_OF_ROWS", "coq_row", "coq_row_of", "coq_rows", "main"]

BOUNDS_OF_ROWS: dict[str, type[T3Row]] = {"T3": T3Row, "T4": T4Row}

_ROW = """
Module {name}_tree.
Import Coq.ZArith.BinInt Pebble.{name}Certificate.
Local Open Scope Z_scope.
Local Notation L := Leaf.
Local Notation E := Empty.
{axes}Definition boxes : tree :=
{tree}.
End {name}_tree.

Lemma {name}_row : {lemma}_holds (Row {parameters}).
Proof. apply (@{lemma}_proved {bits} {name}_tree.boxes). vm_cast_no_check (eq_refl true). Qed.
"""
_AXES = {"T3": "XU", "T4": "XYU"}


def coq_row_of(name: str, problem: Counts, M: int) -> str:
    """Return the row that gives a bound, T3 or T4, of one copy of a forward pass, and what proves its constant.

    Parameters
    ----------
    name : {"T3", "T4"}
    problem : Problem
        One for which the bound says something.
    M : int
        Words of fast memory.
    """
    found = best_row(BOUNDS_OF_ROWS[name], problem, M)
    assert found is not None
    return coq_row(found[-1])


def coq_row(row: T3Row) -> str:
    """Return a lemma that W bounds the function of a row of T3 or T4, with its tree of boxes.

    Notes
    -----
    The boxes are searched for: a second or two. Coq looks at them in one to four seconds.
    """
    name, scaled = row.statement.name, row.scaled
    numbers = [scaled[parameter] for parameter in ("mu", "tau", "gamma", "delta", "beta", "W")]
    return _ROW.format(
        name=name,
        lemma=name.lower(),
        axes="".join(f"Local Notation {axis} := Split{axis}.\n" for axis in _AXES[name]),
        tree=textwrap.fill(box_tree(row), 120, break_long_words=False, break_on_hyphens=False),
        parameters=" ".join(map(str, [SCALE, *numbers])),
        bits=BoxTest(row).bits,
    )


def coq_rows(mus: Sequence[Fraction] = ()) -> Iterator[str]:
    """Return the parts of a Coq file with all rows of T3 and T4, or with those of some mu."""
    yield "From Coq Require Import NArith.\nFrom Pebble Require Import RowMinimum.\nLocal Open Scope N_scope.\n"
    for name, kind in BOUNDS_OF_ROWS.items():
        for number, row in enumerate(kind.load()):
            if not mus or row.mu in mus:
                module = f"{name}_{number}"
                yield f"\nModule {module}.{coq_row(row)}End {module}.\n"


def main(arguments: Sequence[str]) -> int:
    """Print the rows whose mu is among the arguments, or all."""
    for part in coq_rows([Fraction(argument) for argument in arguments]):
        print(part, end="", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
