"""The command ``pebble bounds``: under a mask, and with fewer words than any pebbling needs."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Any

import pytest

from pebble.cli import main
from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lower_bounds.table import bounds


def _main() -> None:
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code


@pytest.mark.parametrize("command", ["bounds", "count"])
def test_commands_show_bounds_curves_and_dividing_points(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [command, "-N", "64", "-d", "4", "-M", "100", "--mask", "document:32,32"]
    arguments += ["--schedule", "flash-2", "--bounds"] * (command == "count")
    monkeypatch.setattr(sys, "argv", ["pebble", *arguments])
    _main()
    text = capsys.readouterr().out
    for shown in ("by parts", "Li et al., worst pattern", "block-sparse FlashAttention", "M·Z_QK/Z_in²"):
        assert shown in text
    monkeypatch.setattr(sys, "argv", ["pebble", *arguments, "--json"])
    _main()
    document = json.loads(capsys.readouterr().out)
    assert (document["dividing_point"], document["sparse_dividing_point"]) == (16, 32.0)
    assert document["regime"] == "large cache"
    statuses = {bound["name"]: bound["status"] for bound in document["bounds"]}
    assert statuses["by parts"] == "proved"
    assert statuses["Li et al., worst pattern"] == "asymptotic"


@pytest.mark.parametrize(
    "options",
    [
        *(
            {"mask": mask, "softmax": softmax}
            for mask in (None, "causal", "window:1")
            for softmax in ("plain", "safe")
        ),
        *({"pass_name": "backward", "mask": mask} for mask in (None, "causal", "window:1")),
        *({"attention": "linear", "mask": "causal", "gate": gate} for gate in (False, True)),
        *({"attention": "linear"}, {"pass_name": "weights"}, {"sums": "free"}),
    ],
    ids=str,
)
def test_the_least_M_is_that_of_the_dag(options: dict[str, Any]) -> None:
    for Nq, Nk, d in ((1, 1, 1), (2, 3, 1), (3, 3, 2)):
        with suppress(InvalidInput):
            problem = Problem(Nq, Nk, d, d, **options)
            assert bounds(problem, 9).least_M == family_of(problem).dag().least_M()
