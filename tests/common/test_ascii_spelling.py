"""Spelling in ASCII: every letter the program prints has a spelling that people can read."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import pebble
from pebble.common.ascii_spelling import ASCII_SPELLING, can_encode, spell_on, spelled

PACKAGE = Path(pebble.__file__).parent


def test_every_letter_of_the_program_has_a_spelling() -> None:
    folders = [PACKAGE, PACKAGE.parent / "schedules"]
    texts = [path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py")]
    letters = {letter for text in texts for letter in text if not letter.isascii()}
    assert len(letters) > 20
    for letter in letters:
        assert spelled(letter).isascii()
        assert "?" not in spelled(letter)
        assert "\\" not in spelled(letter), f"{letter!r} needs a line in _SPELLINGS"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8", "cp437", "koi8-r", "shift_jis"])
def test_a_stream_keeps_what_it_can_encode(encoding: str) -> None:
    text = "\u2308N/16\u2309 \u2264 d\u00b2 \u00f7 10\u00b9\u2078, \u0436"
    data = io.BytesIO()
    stream = io.TextIOWrapper(data, encoding=encoding)
    spell_on(stream)
    stream.write(text)
    stream.flush()
    found = data.getvalue().decode(encoding)
    assert "?" not in found
    for letter in text:
        if can_encode(letter, io.TextIOWrapper(io.BytesIO(), encoding=encoding)):
            assert letter in found
    if encoding == "ascii":
        assert found == "ceil(N/16) <= d^2 / 10^18, \\u0436"
        assert stream.encoding == ASCII_SPELLING
    if encoding == "utf-8":
        assert found == text


def test_other_streams_are_left_alone() -> None:
    spell_on(None)
    spell_on(io.StringIO())
