"""``pebble regimes --attention linear``."""

from __future__ import annotations

import pytest

from tests.support.commands import Pebble, document_of


@pytest.mark.slow
def test_json(pebble: Pebble) -> None:
    document = document_of(
        pebble("regimes", "--attention", "linear", "-d", "8", "-M", "200,300", "-N", "64", "--json")
    )
    assert [(row["d"], row["M"]) for row in document["rows"]] == [(8, 200), (8, 300)]
    for row in document["rows"]:
        assert row["cheaper_from"] <= row["provably_from"]
        assert row["softmax_over_linear"] == row["softmax"]["io"] / row["linear"]["io"]


def test_what_does_not_fit_together(pebble: Pebble) -> None:
    pebble("regimes", "-M", "200").refused(2, "--attention linear")
    linear = ("regimes", "--attention", "linear", "-d", "8")
    pebble(*linear, "-M", "200", "--device", "h100").refused(2, "give one")
    pebble(*linear, "-M", "200", "--mask", "window:3").refused(2, "the causal one")
