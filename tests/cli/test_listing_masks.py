"""Masks on the command line."""

from __future__ import annotations

import json

from pebble.computations.masks import make_mask, mask_kinds
from tests.support.commands import Pebble


def test_kinds_are_listed(pebble: Pebble) -> None:
    code, out, err = pebble("masks")
    assert (code, err) == (0, "")
    document = json.loads(pebble("masks", "--json")[1])
    assert [kind["name"] for kind in document["masks"]] == [kind.name for kind in mask_kinds()]
    for kind in document["masks"]:
        assert kind["example"] in out
        assert kind["usage"] in out
        assert kind["example"].startswith(kind["name"])


def test_examples_of_the_kinds_are_masks() -> None:
    for kind in mask_kinds():
        if kind.name not in ("file", "predicate"):
            mask = make_mask(kind.example, 1024, 256 if kind.name == "group" else 1024)
            assert mask is not None
            assert mask.spec == kind.example
