"""Rows of T3 and T4 in a Coq file: the row that gives a bound, with the tree of boxes that proves its constant."""

from __future__ import annotations

import textwrap

from pebble.lower_bounds.certified.box_test import BoxTest
from pebble.lower_bounds.certified.box_trees import box_tree
from pebble.lower_bounds.certified.parameters import SCALE, best_row
from pebble.lower_bounds.certified.t3 import T3Row, t3_rows
from pebble.lower_bounds.certified.t4 import t4_rows
from pebble.lower_bounds.counts import Counts

__all__ = ["BOUNDS_OF_ROWS", "coq_row", "coq_row_of"]

BOUNDS_OF_ROWS = {"T3": t3_rows, "T4": t4_rows}

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
    found = best_row(BOUNDS_OF_ROWS[name](), problem, M)
    assert found is not None
    return coq_row(found[-1])


def coq_row(row: T3Row) -> str:
    """Return a lemma that W bounds the function of a row of T3 or T4, with its tree of boxes.

    Notes
    -----
    The boxes are searched for: a second or two. Coq looks at them in one to four seconds.
    """
    name, scaled = row.bound, row.scaled
    numbers = [scaled[parameter] for parameter in ("mu", "tau", "gamma", "delta", "beta", "W")]
    return _ROW.format(
        name=name,
        lemma=name.lower(),
        axes="".join(f"Local Notation {axis} := Split{axis}.\n" for axis in _AXES[name]),
        tree=textwrap.fill(box_tree(row), 120, break_long_words=False, break_on_hyphens=False),
        parameters=" ".join(map(str, [SCALE, *numbers])),
        bits=BoxTest(row).bits,
    )
