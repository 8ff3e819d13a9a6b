"""Affine expressions: sums, multiples, text."""

from pebble.computations.nests.affine import Affine


def test_sums_cancel_and_print() -> None:
    i, k = Affine.index("i"), Affine.index("k")
    place = 2 * i + k - 1
    assert str(place) == "2*i + k - 1"
    assert place - k - i - i == Affine((), -1)
    assert str(-i) == "-i"
    assert str(i - i) == "0"
    assert place.at({"i": 3, "k": 4}) == 9
    assert i.is_index
    assert not place.is_index
