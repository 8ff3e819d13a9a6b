"""``pebble cite``."""

from __future__ import annotations

from tests.cli.commands import Pebble, document_of


def test_cite(pebble: Pebble) -> None:
    assert "@misc{pebble-t1," in pebble("cite", "T1").out
    assert "@inproceedings{saha-ye-2024," in pebble("cite", "saha", "ye").out
    assert pebble("cite").out.startswith("name ")
    document = document_of(pebble("cite", "by parts", "--json"))
    assert (document["schema_version"], document["name"], document["version"]) == (1, "by parts", 1)
    assert len(document_of(pebble("cite", "--json"))["bounds"]) >= 30
    pebble("cite", "T-one").refused(2, "no bound is called 'T-one'", "T1; T2")
