"""Pictures as SVG: what is safe in XML, style for light and dark pages, the frame."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from pebble.common.svg import as_image, card, element, frame
from tests.support.amounts import examples

HARD = "<a> & \"b\" 'c' ]]> <script>alert(1)</script> \x00\x0b\ufffe 😀"


@given(st.text(st.sampled_from(HARD + "ab\n\t\ud800\uffff\x7f")))
@examples(10, 40)
def test_any_text_can_stand_in_a_picture(text: str) -> None:
    picture = frame(text, element("path", {"d": text}), (10, 10), [text, HARD])
    root = ElementTree.fromstring(picture.encode())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert [one.tag.rpartition("}")[2] for one in root] == ["title", "style", "rect", "g", "text", "text"]


def test_every_rule_is_for_our_pictures_only() -> None:
    picture = card("title", ["line"])
    for selector in re.findall(r"[^{};>]+(?=\{)", picture):
        assert selector.strip().startswith((".pebble-picture ", "@media"))
    assert "<script" not in picture
    assert " id=" not in picture


def test_an_image_holds_the_picture() -> None:
    picture = card("title", [HARD])
    root = ElementTree.fromstring(as_image(picture, HARD))
    assert base64.b64decode(root.attrib["src"].removeprefix("data:image/svg+xml;base64,")).decode() == picture
    assert root.attrib["alt"].startswith("<a> & \"b\" 'c'")
