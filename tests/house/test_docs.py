"""What makes the documentation: pages that are run, formulas, the picture, no network."""

from __future__ import annotations

import importlib
import io
import os
import re
from pathlib import Path

import offline
import picture
import pytest
import transcripts

import pebble

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
POSIX = pytest.mark.skipif(os.name == "nt", reason="the pages show a POSIX shell")


@POSIX
def test_differences_between_page_and_program_are_found(tmp_path: Path) -> None:
    page = "```console\n$ echo one\none\n$ exit 3\n```\n\n```console\n$ echo two\nthree\n```\n"
    (fault,) = transcripts.console_faults(page, tmp_path)
    assert fault.endswith("$ echo two\ntwo")
    assert not list(transcripts.console_faults(transcripts.refreshed(page, tmp_path), tmp_path))
    (fault,) = transcripts.python_faults(">>> 1 + 1\n3\n", "page")
    assert "Expected:\n    3\nGot:\n    2" in fault
    assert not list(transcripts.python_faults(">>> 1 + 1\n2\n", "page"))


@pytest.mark.slow
def test_the_picture_is_up_to_date() -> None:
    assert (DOCS / "pictures" / picture.NAME).read_text(encoding="utf-8") == picture.svg()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", '<script src="https://example.org/x.js"></script>'),
        ("a.html", '<link rel="stylesheet" href="//example.org/x.css">'),
        ("a.html", '<p style="background: url(https://example.org/x.png)">'),
        ("a.css", '@import "https://example.org/x.css";'),
        ("a.svg", '<svg><image href="http://example.org/x.png"/></svg>'),
    ],
)
def test_what_would_be_fetched_from_the_network_is_found(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert len(list(offline.fetched_from_elsewhere(tmp_path))) == 1


def test_links_for_readers_are_not_fetched(tmp_path: Path) -> None:
    page = '<svg xmlns="http://www.w3.org/2000/svg"></svg><a href="https://example.org">there</a><img src="a.png">'
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    assert list(offline.fetched_from_elsewhere(tmp_path)) == []


def test_every_page_is_in_the_table_of_contents() -> None:
    """As the build demands it; a new page is added to one of the lists at the end of docs/index.md."""
    listed = "\n".join(
        re.findall(r"^```\{toctree\}\n(.*?)^```$", (DOCS / "index.md").read_text("utf-8"), re.M | re.S)
    )
    pages = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    pages |= {f"proofs/{path.stem}" for path in DOCS.glob("proofs/*.md")}
    assert pages - set(listed.split()) == set()


def test_no_file_of_the_site_takes_the_place_of_a_page() -> None:
    written = set(re.findall(r'/ "(\w+)\.html"', (DOCS / "_extensions" / "pages.py").read_text()))
    assert "explorer" in written
    assert not written & {page.stem for page in DOCS.glob("*.md")}


def test_every_public_name_is_in_the_reference() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\.\. auto(?:class|function|exception):: ([\w.]+)", text, re.MULTILINE))
    assert set(pebble.__all__) - documented == set()


def _exists(name: str) -> bool:
    """Whether a dotted name leads somewhere: a module, or what is in one."""
    thing: object = pebble
    parts = name.split(".")
    for number, part in enumerate(parts[1:], 2):
        if not hasattr(thing, part):
            try:
                importlib.import_module(".".join(parts[:number]))
            except ImportError:
                return False
        thing = getattr(thing, part)
    return True


PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("proofs/*.md"))]
_PATH = re.compile(r"\b(?:pebble|schedules|tests|examples|docs)(?:/[\w*-]+)+(?:\.\w+)*")
_BUILT = "docs/_build/html"


def test_no_table_is_cut_off_before_its_first_row() -> None:
    rule = re.compile(r"^.*\n *─{9,}\n(?=```|\$ |\n)", re.MULTILINE)
    texts = {str(page): page.read_text(encoding="utf-8") for page in [*PAGES, *DOCS.glob("tutorials/*.md")]}
    assert {name: cut for name, text in texts.items() if (cut := rule.findall(text))} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_and_files_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names = set(re.findall(r"\bpebble(?:\.[A-Za-z_]\w*)+", text))
    assert {name for name in names if not _exists(name)} == set()
    assert {path for path in _PATH.findall(text) if not list(ROOT.glob(path))} <= {_BUILT}


def test_every_cited_paper_is_in_the_bibliography() -> None:
    number = re.compile(r"arXiv[: ](\d{4}\.\d{5})")
    sources = [*ROOT.glob("pebble/**/*.py"), *ROOT.glob("pebble/**/*.toml"), *ROOT.glob("schedules/**/*.py")]
    cited = {name for path in (*sources, *PAGES) for name in number.findall(path.read_text(encoding="utf-8"))}
    listed = set(number.findall((DOCS / "bibliography.md").read_text(encoding="utf-8")))
    assert cited - listed == set()


@POSIX
@pytest.mark.extra
@pytest.mark.filterwarnings("ignore:'myst_parser")
def test_a_page_that_fails_is_named_and_the_rest_is_built(tmp_path: Path) -> None:
    import pages
    from sphinx.application import Sphinx

    (tmp_path / "index.md").write_text("# All\n\n```{toctree}\nbad\nworse\ngood\n```\n", encoding="utf-8")
    (tmp_path / "bad.md").write_text("# Bad\n\n```console\n$ echo 1\n2\n```\n", encoding="utf-8")
    (tmp_path / "worse.md").write_text("# Worse\n\n```python\n>>>no_blank\n```\n", encoding="utf-8")
    (tmp_path / "good.md").write_text("# Good\n\n```console\n$ echo 1\n1\n```\n", encoding="utf-8")
    said = io.StringIO()
    settings = {"extensions": ["myst_parser"]}
    app = Sphinx(tmp_path, None, tmp_path / "html", tmp_path / "trees", "html", settings, None, said)
    app.connect("source-read", pages._read)
    app.build()
    assert all((tmp_path / "html" / f"{name}.html").exists() for name in ("bad", "worse", "good"))
    assert [f"{name}.md" in said.getvalue() for name in ("bad", "worse", "good")] == [True, True, False]
