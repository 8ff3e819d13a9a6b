"""Amounts of memory: words and bytes, decimal and binary prefixes, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import InvalidInput
from pebble.common.units import BYTES_PER_WORD, bytes_per_word, parse_rate, parse_words
from pebble.common.whole_numbers import whole_number
from tests.support.text_tables import rows_of

TABLE = Path(__file__).with_name("units.txt")


@pytest.mark.parametrize(("text", "dtype", "words"), rows_of(TABLE, "words"))
def test_words(text: str, dtype: str, words: str) -> None:
    assert parse_words(text, dtype or None) == int(words)
    assert dtype or parse_words(text, "float64") == int(words), "a dtype changes no amount that is in words"


@pytest.mark.parametrize(("text", "says"), rows_of(TABLE, "refused"))
def test_what_is_no_amount(text: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        parse_words(text, "float32")


@pytest.mark.parametrize("text", ["1e61", "1e400", "1e999999999", "10**1000", "9**999999999", "1" + 80 * "0"])
@pytest.mark.parametrize("unit", ["", "B", "KiB"])
def test_too_much(text: str, unit: str) -> None:
    with pytest.raises(InvalidInput, match="too large for an amount"):
        parse_words(text + unit, "float16")


@given(
    st.integers(1, 10**18), st.sampled_from(["{}", "{:_}", "{:,}", "{}e0", "{}e3", "{}**2", "{}Ki", " {} k"])
)
def test_memory_is_read_as_sizes_are(number: int, form: str) -> None:
    text = form.format(number)
    assert parse_words(text) == whole_number(text)


def test_bytes_need_a_dtype() -> None:
    with pytest.raises(InvalidInput, match=r"dtype.*float16"):
        parse_words("192KiB")


def test_unknown_dtype_names_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=r"'float17'.*float16.*float64"):
        bytes_per_word("float17")


@pytest.mark.parametrize("name", sorted(BYTES_PER_WORD))
def test_sizes_are_those_in_the_names(name: str) -> None:
    bits = "".join(letter for letter in name if letter.isdigit())
    known = {"half": "16", "tf32": "32"}.get(name, bits)
    assert 8 * bytes_per_word(name.upper()) == int(known)


@given(st.integers(1, 10**30))
def test_round_trip(words: int) -> None:
    assert parse_words(str(words)) == words
    assert parse_words(f"{words:,}") == words
    assert parse_words(f"{words}Ki") == 1024 * words
    assert parse_words(f"{2 * words + 1}B", "float16") == words


@pytest.mark.parametrize(("text", "number"), rows_of(TABLE, "sizes"))
def test_sizes(text: str, number: str) -> None:
    assert str(whole_number(text)) == number


def test_huge_sizes_cost_nothing() -> None:
    for text in ("9**999999999", "1e999999", "1e400Gi"):
        number = whole_number(text)
        assert number is None or number > 10**30


@pytest.mark.parametrize(("text", "rate"), rows_of(TABLE, "rates"))
def test_bandwidths_in_bytes_and_bits(text: str, rate: str) -> None:
    assert parse_rate(text, "B") == float(rate)


@pytest.mark.parametrize("text", ["400gb/s", "50GByte/s", "50 kTB/s", "GB/s", "0b/s", "-1GB/s", "fast", ""])
def test_what_is_no_bandwidth_is_refused_with_what_is_accepted(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"GiB/s \(bytes\), 400Gb/s or 400Gbit/s \(bits\)"):
        parse_rate(text, "B")


def test_arithmetic_is_not_counted_in_bits() -> None:
    assert parse_rate("400TFLOP/s", "FLOP") == parse_rate("400T", "FLOP") == 400e12
    with pytest.raises(InvalidInput, match="accepted: 400TFLOP/s"):
        parse_rate("400Tb/s", "FLOP")
