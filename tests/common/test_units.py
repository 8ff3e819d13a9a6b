"""Amounts of memory: words and bytes, decimal and binary prefixes, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import InvalidInput
from pebble.common.units import BYTES_PER_WORD, bytes_per_word, parse_rate, parse_words
from pebble.common.whole_numbers import whole_number


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1", 1),
        ("98304", 98_304),
        ("98,304", 98_304),
        ("98_304", 98_304),
        (" 96Ki ", 98_304),
        ("96 Ki", 98_304),
        ("96ki", 98_304),
        ("98k", 98_000),
        ("98K", 98_000),
        ("1.5k", 1_500),
        ("0.5Ki", 512),
        ("2M", 2_000_000),
        ("2Mi", 2_097_152),
        ("1G", 10**9),
        ("1Gi", 2**30),
        ("1e5", 100_000),
        ("1.5e3", 1_500),
        ("1E5", 100_000),
        ("10**6", 10**6),
        ("2**20", 2**20),
        ("2**10Ki", 2**20),
        ("999999999999999999999999", 999_999_999_999_999_999_999_999),
    ],
)
def test_words(text: str, words: int) -> None:
    assert parse_words(text) == words
    assert parse_words(text, "float64") == words, "a dtype does not change an amount that is in words"


@pytest.mark.parametrize(
    ("text", "dtype", "words"),
    [
        ("192KiB", "float16", 98_304),
        ("192kB", "float16", 96_000),
        ("192KiB", "float32", 49_152),
        ("192KiB", "fp8", 196_608),
        ("228KiB", "BF16", 116_736),
        ("1B", "fp8", 1),
        ("7B", "float16", 3),
        ("8B", "float64", 1),
        ("50MiB", "float16", 26_214_400),
        ("1.5kB", "float32", 375),
        ("80GB", "float16", 40_000_000_000),
        ("192 KiB", "float16", 98_304),
        ("1e5B", "float16", 50_000),
        ("2**10KiB", "float32", 2**18),
    ],
)
def test_bytes(text: str, dtype: str, words: int) -> None:
    assert parse_words(text, dtype) == words


@pytest.mark.parametrize(
    "text",
    ["", " ", "x", "-1", "+1", "nan", "inf", "1.5.2", "12KB8", "1Ti", "Ki", "B", "1..5k", "0x10", "1;2"],
)
def test_no_amount(text: str) -> None:
    with pytest.raises(InvalidInput, match="cannot read"):
        parse_words(text, "float16")


@pytest.mark.parametrize("text", ["0", "0Ki", "1B", "3B", "0.0k", "0B"])
def test_less_than_a_word(text: str) -> None:
    with pytest.raises(InvalidInput, match="less than one word"):
        parse_words(text, "float32")


def test_part_of_a_word() -> None:
    with pytest.raises(InvalidInput, match="whole number of words"):
        parse_words("1.5")
    with pytest.raises(InvalidInput, match="whole number of words"):
        parse_words("1.0001k")
    with pytest.raises(InvalidInput, match=r"'1e-3' is not a whole number of words"):
        parse_words("1e-3")


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


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4096", 4096),
        ("4Ki", 4096),
        ("4ki", 4096),
        ("4 K", 4000),
        ("1.5k", 1500),
        ("2**10", 1024),
        ("2**0000010", 1024),
        ("1e9", 10**9),
    ]
    + [("1_000", 1000), ("1,000", 1000), ("0", 0), ("-3", -3), ("10**18", 10**18)]
    + [
        (text, None)
        for text in ("", "x", "1.5", "1.0001k", "Ki", "2**-1", "2**x", "inf", "nan", "4KiB", "4i")
    ],
)
def test_sizes(text: str, number: int | None) -> None:
    assert whole_number(text) == number


def test_huge_sizes_cost_nothing() -> None:
    for text in ("9**999999999", "1e999999", "1e400Gi"):
        number = whole_number(text)
        assert number is None or number > 10**30


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("50GB/s", 50e9),
        ("50 GiB/s", 50 * 2.0**30),
        ("400Gb/s", 50e9),
        ("400 Gbit/s", 50e9),
        ("0.4Tb/s", 50e9),
        ("400000Mb/s", 50e9),
        ("1.5TB/s", 1.5e12),
        ("2TiB/s", 2 * 2.0**40),
        ("8b/s", 1),
        ("50G", 50e9),
        ("5e10", 50e9),
    ],
)
def test_bandwidths_in_bytes_and_bits(text: str, rate: float) -> None:
    assert parse_rate(text, "B") == rate


@pytest.mark.parametrize("text", ["400gb/s", "50GByte/s", "50 kTB/s", "GB/s", "0b/s", "-1GB/s", "fast", ""])
def test_what_is_no_bandwidth_is_refused_with_what_is_accepted(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"GiB/s \(bytes\), 400Gb/s or 400Gbit/s \(bits\)"):
        parse_rate(text, "B")


def test_arithmetic_is_not_counted_in_bits() -> None:
    assert parse_rate("400TFLOP/s", "FLOP") == parse_rate("400T", "FLOP") == 400e12
    with pytest.raises(InvalidInput, match="accepted: 400TFLOP/s"):
        parse_rate("400Tb/s", "FLOP")
