"""Tables: aligned text, HTML, CSV, and the skeleton of results."""

from __future__ import annotations

from typing import Any

from pebble.common.tables import Table, TableResult, csv_text


class Sums(TableResult):
    """A result with two texts and a table."""

    def content(self) -> dict[str, Any]:
        return {"sums": [3, 12]}

    def parts(self) -> list[str | Table | TableResult]:
        return ["before", Table([["a", "b"], ["<x>", "3"], ["y", "12"]], notes=["below"]), "after"]


def test_a_result_prints_all_and_shows_its_tables() -> None:
    found = Sums()
    assert str(found) == "before\n\na     b\n───────\n<x>   3\ny    12\nbelow\n\nafter"
    assert found._repr_html_() == (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>&lt;x&gt;</td><td>3</td></tr>"
        "<tr><td>y</td><td>12</td></tr></tbody></table>"
    )
    assert list(found.to_dict().items()) == [("schema_version", 1), ("sums", [3, 12])]


def test_columns_are_aligned_to_one_side() -> None:
    cells = [["name", "n", "why"], ["a", "1", "b"], ["long", "22", "cc"]]
    assert str(Table(cells, right=(1,))).splitlines()[2:] == ["a      1  b", "long  22  cc"]
    assert str(Table(cells, left=2)).splitlines()[2:] == ["a     1     b", "long  22   cc"]


def test_csv_has_the_columns_of_the_table() -> None:
    rows = [
        {"name": "a, b", "fits": True, "tiles": {"rows": 2, "cols": 3}, "io": None, "more": 1},
        {"name": "c", "fits": False, "tiles": None, "io": 5, "more": 2},
    ]
    assert csv_text(("name", "fits", "tiles", "io"), rows) == (
        'name,fits,tiles,io\n"a, b",true,"rows=2,cols=3",\nc,false,,5\n'
    )
