"""``pebble cite``."""

from __future__ import annotations

from tests.support.commands import Pebble, document_of


def test_several_names(pebble: Pebble) -> None:
    """Names of several words need no quotes, and no BibTeX entry is printed twice."""
    for names in (["T4", "D1-total"], ["T4,D1-total"], ["t4 d1 total"]):
        found = pebble("cite", *names).out
        assert found.startswith("T4 (")
        assert "\n\nD1-total (" in found
    found = pebble("cite", "D", "D", "backward", "Li", "et", "al.", "pebble").out
    keys = [line for line in found.splitlines() if line.startswith("@")]
    assert len(keys) == len(set(keys))
    assert {"@misc{pebble-d,", "@misc{pebble-d-backward,", "@misc{pebble,"} <= set(keys)
    document = document_of(pebble("cite", "T1", "matmul, short side", "--json"))
    assert [one["name"] for one in document["citations"]] == ["T1", "matmul, short side"]
    assert document["citations"][0]["version"] == 2
