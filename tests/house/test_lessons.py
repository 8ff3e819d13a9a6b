"""The lessons are what their cells give, run as Jupyter runs them, and become scripts and notebooks."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import lessons
import notebooks
import pytest
import render

ROOT = Path(__file__).resolve().parents[2]
PAGES = render.pages()


def test_a_lesson_that_fails_makes_no_page(tmp_path: Path) -> None:
    before = os.getcwd(), sys.path, sys.argv
    page = tmp_path / "page.md"
    page.write_text("```python\nassert 1 == 2\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError):
        render.stale(page)
    assert (os.getcwd(), sys.path, sys.argv) == before


# -- the lessons themselves


def test_page_is_up_to_date() -> None:
    """Run its cells as Jupyter would; page and pictures are what comes. Building the documentation runs them all."""
    assert set(render.stale(PAGES[0])) == set(), "run: python docs/_extensions/render.py"


def test_every_lesson_has_a_number_a_time_and_exercises() -> None:
    index = (ROOT / "docs" / "tutorials" / "index.md").read_text(encoding="utf-8")
    for number, page in enumerate(PAGES[:-1], start=1):
        assert page.name.startswith(f"lesson_{number:02}_")
        text = page.read_text(encoding="utf-8")
        assert re.match(rf"# {number}\. .*\n\n\*\d+ minutes\.\*", text), page.name
        exercises = text.partition("\n## Exercises\n")[2]
        parts = re.findall(r"^(\*\*\d\.\*\*|<details><summary>\w+</summary>$)", exercises, re.MULTILINE)
        each = ["<details><summary>Hint</summary>", "<details><summary>Solution</summary>"]
        assert parts == [part for n in (1, 2, 3) for part in (f"**{n}.**", *each)], page.name
        assert f"]({page.name})" in index


@pytest.mark.parametrize("picture", sorted(render.PICTURES.glob("*.svg")), ids=lambda path: path.stem)
def test_pictures_are_well_formed_and_used(picture: Path) -> None:
    ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    assert any(f"pictures/{picture.name})" in page.read_text(encoding="utf-8") for page in pages)


# -- scripts and notebooks


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_script_and_notebook_are_the_page(page: Path) -> None:
    code = [cell.code for cell in lessons.cells(page.read_text(encoding="utf-8")) if cell.code]
    book = json.loads(notebooks.notebook(page))
    assert ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"] == code
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    script = notebooks.script(page)
    assert ast.dump(ast.parse(script)) == ast.dump(ast.parse("\n".join(code)))
    targets = re.findall(r"\]\(([^)#]*)[^)]*\)", "".join(re.findall("^#.*\n", script, re.MULTILINE)))
    assert [one for one in targets if "://" not in one and not (lessons.EXAMPLES / one).exists()] == []


@pytest.mark.extra
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES[:2], ids=lambda path: path.stem)
def test_notebook_gives_the_same_in_jupyter(page: Path) -> None:
    nbclient, nbformat = (importlib.import_module(name) for name in ("nbclient", "nbformat"))
    book = nbformat.reads(notebooks.notebook(page), as_version=4)
    nbformat.validate(book)
    nbclient.NotebookClient(
        book, timeout=None, kernel_name="python3", resources={"metadata": {"path": str(lessons.EXAMPLES)}}
    ).execute()
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    for cell, ran in zip(cells, (ran for ran in lessons.run(page) if ran.cell.code), strict=True):
        assert "".join(one.text for one in cell.outputs if one.output_type == "stream") == ran.printed
        shown = [one.data for one in cell.outputs if one.output_type == "execute_result"]
        assert [{kind: one[kind] for kind in ran.shown} for one in shown] == [ran.shown] * bool(ran.shown)
