"""Loop nests in headers of pebbling files: what is missing or cannot be read."""

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.nests.header import nest_from_parameters, nest_parameters, read_extents
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.registry import family_from_header


def test_extents_are_numbers_as_people_write_them() -> None:
    assert read_extents("i=1Ki, j=10**3,k = 1e2") == {"i": 1024, "j": 1000, "k": 100}


@pytest.mark.parametrize("text", ["i", "i=", "=3", "i=x", "i=3,,j=4", "2i=3", "i=3.5"])
def test_what_is_no_extent(text: str) -> None:
    with pytest.raises(InvalidInput, match="is not an extent; write for example i=1024,j=1024"):
        read_extents(text)


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({}, "missing: extents, text"),
        ({"text": "C[i]=A[i]", "extents": "i=2", "m": "3"}, "unknown: m"),
        ({"text": "C[i]=A[i", "extents": "i=2"}, "cannot be read"),
        ({"text": "C[i]=A[i]", "extents": "-"}, "the extent of"),
    ],
)
def test_what_is_no_header(parameters: dict[str, str], why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        nest_from_parameters(parameters)


def test_a_nest_without_indices_and_a_family() -> None:
    parameters = nest_parameters(loop_nest("a = b*c", {}))
    assert parameters["extents"] == "-"
    assert str(nest_from_parameters(parameters).statements[0]) == "a = b*c"
    family = family_from_header("nest", parameters)
    assert (family.n_vertices, family.parameters) == (3, parameters)
