"""Attention that a text gives: which shapes the schedules know."""

from __future__ import annotations

from pebble.common.errors import InvalidInput
from pebble.computations.family import Family
from pebble.computations.text import family_of_text

_PAIR = {"i", "j"}


def check_own_attention(text: str) -> None:
    """Check that a computation has the shape of attention, in one sweep over the keys.

    Examples
    --------
    >>> check_own_attention("Q[i,k]")
    Traceback (most recent call last):
    ...
    pebble.common.errors.InvalidInput: no schedule supports this; the schedules require that every input is read
    """
    family = family_of_text("attention-own", text, dict.fromkeys("ijke", 1), constants={"scale": 1.0})
    for right, what in _conditions(family):
        if not right:
            raise InvalidInput(f"no schedule supports this; the schedules require that {what}")


def _conditions(family: Family) -> list[tuple[object, str]]:
    """Return what must be true of a computation, in words."""
    inputs = {array.name: set(array.axes) for array in family.inputs}
    computed = [array for array in family.arrays if not array.is_input]
    reads = [read for array in computed for read in array.reads]
    of = {array.name: {read.array for read in array.reads} for array in computed}
    pairs = [array for array in computed if set(array.axes) >= _PAIR]
    scores = {array.name for array in pairs if array.chain is not None}
    made = [array for array in pairs if array.chain is None]
    early = [array for array in made if any(read.step == "before" for read in array.reads)]
    weights = [array for array in made if array not in early]
    sums = [array for array in computed if array.chain == "j"]
    moved = {read.array for array in made for read in array.reads if read.at_step}
    columns = [array for array in sums if "e" in array.axes]
    values = columns[0].reads[-1].array if columns else ""
    rows = [array for array in computed if array.chain is None and "j" not in array.axes]
    used, names = {array.name for array in made}, {array.name for array in sums}
    return [
        (
            all(axes & _PAIR and (axes == _PAIR or not axes >= _PAIR) for axes in inputs.values()),
            "every input has the index i of queries or j of keys, or these two alone",
        ),
        (all(array.backward is None for array in family.arrays), "no input is read backward"),
        (inputs.keys() <= {read.array for read in reads}, "every input is read"),
        (all(read.step != "later" for read in reads), "nothing is left out at the first step of a chain"),
        (
            scores
            and all(
                [inputs.get(one) for one in family[name].operands] == [{"i", "k"}, {"j", "k"}]
                for name in scores
            ),
            "scores are sums of products of an input with i and one with j, over k",
        ),
        (
            len(weights) == 1 and all(scores <= of[array.name] for array in weights),
            "one array of weights is made of all scores",
        ),
        (
            all(read.at_step or read.array not in names for array in made for read in array.reads),
            "what is made of a pair reads sums over the keys at its own key, as m[i,j], not whole",
        ),
        (
            all(read.step == "before" or read.array in scores for array in early for read in array.reads),
            "what reads a sum before its own key, as m[i,j-1], reads such sums and scores only",
        ),
        (
            all(
                of[array.name] <= (scores if array.name in moved else used)
                for array in sums
                if array not in columns
            ),
            "sums over the keys are made of the weights, or of the scores where weights read them at their own key",
        ),
        (
            len(columns) == 1
            and inputs.get(values) == {"j", "e"}
            and {array.name for array in weights} <= of[columns[0].name] - {values} <= used,
            "one sum over the keys has columns e, of weights times an input with j",
        ),
        (
            len(rows) < 2 and all(values and columns[0].name in of[array.name] for array in rows),
            "at most one array is computed of that sum",
        ),
        (all(of[array.name] <= names for array in rows), "outputs are made of sums over the keys only"),
        (
            len(computed) == len([*pairs, *sums, *rows]) and not any(array.output for array in pairs),
            "scores, weights, sums over the keys and an output are all that is computed",
        ),
    ]
