"""Citations of bounds and of the program."""

from __future__ import annotations

import importlib.metadata
import re

import pytest

import pebble
from pebble.lab.citing import Citation
from pebble.lower_bounds.catalogue import STATEMENTS


def entries(bibtex: str) -> list[str]:
    """The keys of BibTeX entries, after a check of their form."""
    for entry in bibtex.split("\n\n"):
        assert re.fullmatch(r"@\w+\{[a-z0-9-]+,\n(?:  \w+ = \{.*\},?\n)+\}", entry), entry
        assert entry.count("{") == entry.count("}")
    return re.findall(r"^@\w+\{([^,]+),", bibtex, re.MULTILINE)


@pytest.mark.parametrize("name", ["pebble", *(one.name for one in STATEMENTS)])
def test_every_name_can_be_cited(name: str) -> None:
    found = pebble.cite(name)
    assert isinstance(found, Citation)
    assert found.to_dict()["name"] == name
    assert importlib.metadata.version("pebble-io") in str(found)
    keys = entries(found.bibtex)
    assert len(keys) == len(set(keys)) == found.bibtex.count("  year = {") >= 1
    assert found.sentence.endswith(".")
    assert found.sentence in str(found)


def test_our_bounds_are_ours_and_others_are_theirs() -> None:
    ours, theirs = pebble.cite("t1"), pebble.cite("Saha-Ye")
    assert isinstance(ours, Citation)
    assert isinstance(theirs, Citation)
    assert entries(ours.bibtex) == ["pebble-t1", "hong-kung-1981", "loomis-whitney-1949"]
    assert "author = {{The authors of pebble}}" in ours.bibtex
    assert entries(theirs.bibtex) == ["saha-ye-2024", "pebble"]
