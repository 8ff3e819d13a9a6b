"""Masks on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from pebble.computations.masks import make_mask, mask_kinds
from tests.support.commands import Pebble

BOUNDS = ["bounds", "-d", "2", "-M", "40", "--json"]


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


def test_problem_of_a_command_has_the_mask(pebble: Pebble) -> None:
    problem = json.loads(pebble(*BOUNDS, "-N", "4", "--mask", "causal")[1])["problem"]
    assert (problem["mask"], problem["pairs"]) == ("causal", 10)
    problem = json.loads(pebble(*BOUNDS, "-N", "4", "--mask", "none")[1])["problem"]
    assert (problem["mask"], problem["pairs"]) == (None, 16)


def test_empty_rows_are_a_choice(pebble: Pebble) -> None:
    rows = [*BOUNDS, "-N", "4", "--kv", "3", "--mask", "causal"]
    code, out, err = pebble(*rows)
    assert (code, out) == (2, "")
    assert err.startswith("pebble: mask causal: query 0 attends to no key")
    assert json.loads(pebble(*rows, "--empty-rows", "zero")[1])["problem"]["pairs"] == 6


def test_bad_masks_are_refused_in_one_line(pebble: Pebble, tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.ones((3, 3), dtype=bool))
    for spec, words in {
        "causl": "did you mean 'causal'",
        f"file:{tmp_path}/m.npy": "its shape is (3, 3)",
        f"file:{tmp_path}/none.npy": "cannot read",
        "predicate:os.path:join": "the predicate raised TypeError",
    }.items():
        code, out, err = pebble(*BOUNDS, "-N", "4", "--mask", spec)
        assert (code, out, len(err.splitlines())) == (2, "", 1), err
        assert words in err


def test_heads_that_share_keys_have_the_mask_of_one(pebble: Pebble) -> None:
    model = ["bounds", "-N", "16", "--model", "llama3-8b", "-M", "20000", "--json"]
    problem = json.loads(pebble(*model, "--mask", "causal")[1])["problem"]
    assert (problem["mask"], problem["Nq"], problem["pairs"]) == ("group:4:causal", 64, 4 * 136)
    assert json.loads(pebble(*model, "--mask", "none")[1])["problem"]["mask"] is None
    alone = ["bounds", "-N", "16", "--model", "gpt2", "-M", "20000", "--json", "--mask", "causal"]
    assert json.loads(pebble(*alone)[1])["problem"]["mask"] == "causal"
