"""Masks on the command line."""

from __future__ import annotations

import json

from pebble.computations.masks import mask_kinds
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
