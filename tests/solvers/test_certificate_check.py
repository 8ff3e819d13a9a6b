"""Every field of a certificate is verified or refused, by the package and by the second checker."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.solvers.certificate import certify
from tests.solvers.small_certificates import ONCE, made, second_opinion, verdict


def _places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document where a value stands; of long lists the first three."""
    yield path
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _places(value, (*path, key))
    elif isinstance(part, list):
        for index, value in enumerate(part[:3]):
            yield from _places(value, (*path, index))


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def _instead(value: Any) -> list[Any]:
    """Values that are wrong where another one stood."""
    odd: list[Any] = [None, [], {}, "", "other", "\ud800", -1, 1.5, 10**30]
    if isinstance(value, bool):
        odd += [int(value), str(value)]
    elif isinstance(value, int):
        odd += [value - 1, value + 1, float(value), str(value), bool(value), -value or -1]
    elif isinstance(value, str):
        odd += [value + ".", value.upper() if value.islower() else value.lower(), [value], value + "\u00a0"]
    elif isinstance(value, dict):
        odd += [value | {"remark": 1}, dict(list(value.items())[1:]), list(value.items())]
    elif isinstance(value, list):
        odd += [[*value, value[0]], value[1:], [*value, []], {"0": value}, value[0]]
    return odd


TRUE_ALL_THE_SAME = {("M",): (5, 10**30), ("bound", "inputs"): ({}, {"stores": 4})}
"""Another claim, and a true one: more memory; inputs that are not needed left out. A DAG may be without a name."""


def test_no_field_goes_unverified() -> None:
    """Change any value of a certificate into any other: both checkers refuse it, unless what it says is true."""
    document = made(rules=ONCE)
    document["dag"]["name"] = None
    seen = 0
    for path in list(_places(document))[1:]:
        for value in _instead(_at(document, path)):
            changed = copy.deepcopy(document)
            _at(changed, path[:-1])[path[-1]] = value
            true = changed == document and repr(changed) == repr(document)
            true = true or value in TRUE_ALL_THE_SAME.get(path, ())
            try:
                ours = verdict(changed).complete
            except InvalidInput:
                ours = False
            if value == 10**30 and path == ("M",):  # no pebbling file could hold so large an M
                assert not ours
                continue
            assert ours == true, (path, value)
            said = second_opinion(changed).endswith("confirmed")  # it does not look up names, and says so
            assert said == true, (path, value)
            seen += not true
    assert seen > 500


@pytest.mark.parametrize(
    ("name", "M", "bound"),
    [
        ("fft:64", 8, "FFT"),
        ("diamond:8,8", 3, "convex min-cut"),
        ("diamond:3,3", 3, "Hong-Kung"),
        ("diamond:3,3", 3, "exhaustive search"),
    ],
)
def test_what_is_said_of_a_bound_is_compared(name: str, M: int, bound: str) -> None:
    document = certify(load_dag(name), M, ONCE, order="given", bound=bound).to_dict()
    assert verdict(document).complete
    for key in ("rules", "source"):
        for value in (None, "", document["bound"][key] + ".", 1):
            changed = copy.deepcopy(document)
            changed["bound"][key] = value
            assert f"the {key} of the bound '{bound}' is " in str(verdict(changed))
    for key, value in document["bound"]["inputs"].items():
        changed = copy.deepcopy(document)
        changed["bound"]["inputs"][key] = -1 if isinstance(value, int) else "fft:32"
        assert not verdict(changed).complete
    changed = copy.deepcopy(document)
    changed["bound"]["inputs"]["luck"] = 7
    assert "the input 'luck' of the bound" in str(verdict(changed))
    changed = copy.deepcopy(document)
    changed["bound"]["value"], changed["gap"] = -5, document["io"] + 5
    assert "-5 is negative" in str(verdict(changed))
    assert second_opinion(changed) == ""


def test_both_checkers_repeat_an_exhaustive_search() -> None:
    """One I/O above the optimum, or another number of states, and the certificate is refused."""
    document = certify(load_dag("pyramid:3"), 4, Rules(sliding=True), order="given").to_dict()
    bound = document["bound"]
    assert (document["io"], bound["value"], bound["inputs"]["below"]) == (7, 5, 5)
    assert verdict(document).complete
    assert "(exhaustive search) confirmed" in second_opinion(document)
    for value, inputs in (
        (6, {"below": 6}),
        (6, bound["inputs"]),
        (5, bound["inputs"] | {"states": bound["inputs"]["states"] + 1}),
        (5, {"below": 4}),
        (5, {}),
    ):
        changed = copy.deepcopy(document)
        changed["bound"] |= {"value": value, "inputs": inputs}
        changed["gap"] = document["io"] - value
        assert not verdict(changed).complete
        assert second_opinion(changed) == ""
    changed = copy.deepcopy(document)
    changed["bound"] |= {"value": 4, "inputs": {"below": 4}}
    changed["gap"] = document["io"] - 4
    assert verdict(changed).complete, "less may be claimed"
    assert "(exhaustive search) confirmed" in second_opinion(changed)


def test_the_second_checker_says_what_it_does_not_check() -> None:
    document = made()
    assert second_opinion(document).endswith("confirmed; whether the DAG is fft:4 is not checked here")
    document["dag"]["name"] = None
    assert second_opinion(document).endswith("confirmed")
