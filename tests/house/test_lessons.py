"""The lessons are what their scripts give: pages, pictures and notebooks, run cell by cell as Jupyter runs them."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import lesson_pages
import lessons
import notebooks
import pytest
import render

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "docs" / "tutorials"
SCRIPTS = sorted((ROOT / "examples").glob("lesson_*.py"))
NOTEBOOKS = [path.with_suffix(".ipynb") for path in SCRIPTS]
LESSON = '''"""Lead."""

# %%
# ## Words
#
# More words.

x = 1
print(x)

# %%
# The end.

print("two")
'''


def test_a_lesson_is_cut_into_cells() -> None:
    first, second = lessons.cells(LESSON)
    assert first == lessons.Cell("## Words\n\nMore words.", "x = 1\nprint(x)", 8)
    assert second == lessons.Cell("The end.", 'print("two")', 14)


def expanded(folder: Path, script: str) -> tuple[str, dict[Path, str]]:
    """The page in a folder that shows a script, and its pictures."""
    (folder / "lesson.py").write_text(script, encoding="utf-8")
    return lesson_pages.expand(
        "# Title\n\n<!-- run lesson.py -->\nold\n<!-- end of lesson.py -->\n\nLast.\n", folder, {}
    )


def test_a_page_shows_what_each_cell_prints(tmp_path: Path) -> None:
    text, pictures = expanded(tmp_path, LESSON)
    assert text.startswith("# Title\n\n<!-- run lesson.py -->\n\nLead.\n\n## Words\n\nMore words.\n\n")
    assert "```python\nx = 1\nprint(x)\n```\n\n```text\n1\n```\n\nThe end." in text
    assert text.endswith("```text\ntwo\n```\n\n<!-- end of lesson.py -->\n\nLast.\n")
    assert not pictures
    assert lesson_pages.expand(text, tmp_path, {}) == (text, {})


SHOWS = """\"\"\"Lead.\"\"\"

# %%

class Drawn:
    def _repr_svg_(self):
        return "<svg><title>a &lt;b&gt; [c]</title></svg>"

    def _repr_html_(self):
        return "<b>not this</b>"

print("`" * 3)
Drawn()

# %%

class Table:
    def _repr_html_(self):
        return "<table></table>"

Table()

# %%
1 + 1

# %%
None
"""


def test_the_last_line_of_a_cell_shows_itself_in_its_best_form(tmp_path: Path) -> None:
    text, pictures = expanded(tmp_path, SHOWS)
    (picture,) = pictures
    assert picture.name == "lesson-1.svg"
    assert pictures[picture] == "<svg><title>a &lt;b&gt; [c]</title></svg>\n"
    link = Path(os.path.relpath(picture, tmp_path)).as_posix()
    assert f"````text\n```\n````\n\n![a &lt;b&gt; \\[c\\]]({link})\n\n" in text
    assert "Table()\n```\n\n<table></table>\n\n" in text
    assert "```python\n1 + 1\n```\n\n```text\n2\n```\n\n" in text
    assert "```python\nNone\n```\n\n<!--" in text
    assert text.count("not this") == 1, "in the code, not in the output"


def test_a_script_without_cells_is_one(tmp_path: Path) -> None:
    script = '"""Lead."""\n\nimport sys\n\nif __name__ == "__main__":\n    print(len(sys.argv), __name__)\n'
    text, _ = expanded(tmp_path, script)
    assert "\n\nLead.\n\n```python\nimport sys\n" in text
    assert "\n1 __main__\n" in text


def test_a_lesson_that_fails_makes_no_page(tmp_path: Path) -> None:
    before = os.getcwd(), sys.path, sys.argv
    with pytest.raises(AssertionError):
        expanded(tmp_path, '"""Lead."""\n# %%\nassert 1 == 2\n')
    assert (os.getcwd(), sys.path, sys.argv) == before


# -- the lessons themselves


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(TUTORIALS.glob("lesson_*.md")), ids=lambda page: page.stem)
def test_lesson_is_up_to_date(page: Path) -> None:
    """Run its cells as Jupyter would; page, pictures and notebook are, letter for letter, what comes."""
    (script,) = lesson_pages.scripts(page.read_text(encoding="utf-8"), page.parent)
    assert script == ROOT / "examples" / f"{page.stem}.py"
    assert set(render.stale(page)) == set(), "run: python docs/_extensions/render.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in render.pages() if page.parent != TUTORIALS], ids=lambda page: page.stem
)
def test_page_with_examples_is_up_to_date(page: Path) -> None:
    assert set(render.stale(page)) == set(), "run: python docs/_extensions/render.py"


def test_what_is_out_of_date_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson_pages, "PICTURES", tmp_path)
    (tmp_path / "lesson_shows.py").write_text(SHOWS, encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text("# 1. Shows\n\n<!-- run lesson_shows.py -->\n<!-- end of lesson_shows.py -->\n")
    (tmp_path / "lesson_shows-2.svg").touch()
    found = render.stale(page)
    names = {"page.md", "lesson_shows-1.svg", "lesson_shows-2.svg", "lesson_shows.ipynb"}
    assert {path.name for path in found} == names
    for path, text in found.items():
        if text is None:
            assert path.name == "lesson_shows-2.svg"
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")
    assert render.stale(page) == {}
    book = json.loads((tmp_path / "lesson_shows.ipynb").read_text(encoding="utf-8"))
    assert book["cells"][0]["source"] == ["# 1. Shows\n", "\n", "Lead."]
    kinds = [
        sorted(output.get("data", ["stdout"])) for cell in book["cells"][1:] for output in cell["outputs"]
    ]
    assert kinds == [["stdout"], [lessons.PICTURE], [lessons.HTML], [lessons.TEXT]]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_links_of_a_lesson_lead_somewhere(path: Path) -> None:
    prose = "\n".join(cell.prose for cell in lessons.cells(path.read_text(encoding="utf-8")))
    for text, folder in ((prose, TUTORIALS), (notebooks.moved_links(prose), path.parent)):
        targets = re.findall(r"\]\(([^)]*)\)", text)
        assert [target for target in targets if not (folder / target).exists()] == []


@pytest.mark.parametrize("picture", sorted(lesson_pages.PICTURES.glob("*.svg")), ids=lambda path: path.stem)
def test_pictures_are_well_formed_and_used(picture: Path) -> None:
    ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    assert any(f"pictures/{picture.name})" in page.read_text(encoding="utf-8") for page in pages)


# -- the notebooks


def test_every_lesson_has_a_notebook() -> None:
    assert sorted((ROOT / "examples").glob("*.ipynb")) == NOTEBOOKS
    assert sum(path.stat().st_size for path in NOTEBOOKS) < 1_000_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_plain(path: Path) -> None:
    """It has the form that Jupyter writes, a name for every cell, and nothing that depends on place or time."""
    text = path.read_text(encoding="utf-8")
    book = json.loads(text)
    assert text == json.dumps(book, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    numbers = [cell["execution_count"] for cell in book["cells"] if cell["cell_type"] == "code"]
    assert numbers == list(range(1, len(numbers) + 1))
    assert not re.search(r" at 0x[0-9a-f]{6}|\b\d{4}-\d\d-\d\d\b", text)
    assert str(ROOT) not in text


@pytest.mark.slow
@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("nbclient", "nbformat", "ipykernel"))), reason="needs Jupyter"
)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_gives_the_same_in_jupyter(path: Path) -> None:
    nbclient, nbformat = (importlib.import_module(name) for name in ("nbclient", "nbformat"))
    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    fresh = nbformat.from_dict(json.loads(json.dumps(stored)))
    nbclient.NotebookClient(
        fresh, timeout=None, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    for old, new in zip(stored.cells, fresh.cells, strict=True):
        if old.cell_type == "code":
            assert printed_and_shown(old, {}) == printed_and_shown(new, printed_and_shown(old, {})[1])


def printed_and_shown(cell: Any, kinds: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What a cell printed, and its result; of the forms of a result, those named, or all if none are."""
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    (shown,) = [dict(output.data) for output in cell.outputs if output.output_type == "execute_result"] or [
        {}
    ]
    return printed, {kind: shown[kind] for kind in kinds or shown}
