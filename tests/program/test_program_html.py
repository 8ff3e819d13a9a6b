"""A program in HTML: the text is the pseudo-code, loads and stores are bold, what is counted is what is written."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from pebble.program import compute, delete, first, load, loop, phase, program, store, when
from pebble.program.nodes import pseudo_code_html
from pebble.program.schedule import Schedule, registered, resolve_tiles
from tests.support.problems import problem_for


@pytest.mark.parametrize("schedule", registered("forward"), ids=lambda one: f"{one.name}-{one.forms[0]}")
def test_the_block_is_the_pseudo_code(schedule: Schedule) -> None:
    problem = problem_for(schedule, 6, 2)
    made = schedule.program(problem, resolve_tiles(schedule, problem, 60, None))
    block = ElementTree.fromstring(pseudo_code_html(made))
    assert "".join(block.itertext()) == str(made)
    bold = [one.text or "" for one in block]
    assert all(text.startswith(("load ", "store ")) for text in bold)
    assert len(bold) == str(made).count("load ") + str(made).count("store ")


def test_it_counts_what_is_written() -> None:
    made = program(
        phase(
            "<a> & b", loop("i", 4, load("Q"), when(first("i"), store("Q")), compute("S"), delete("Q", "S"))
        ),
        phase("", load("K")),
    )
    html = f"<div>{made._repr_html_()}</div>"
    block, said = ElementTree.fromstring(html)
    assert "".join(block.itertext()).startswith("# <a> & b\nfor i in tiles of 4:")
    assert (said.text or "").startswith(
        "As written: 2 phases, 1 loop, 2 loads, 1 store, 1 compute, 2 deletes. What they move"
    )
