"""The browser that tests of the player's page share; each module says in a fixture ``page`` what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pebble.lab.player import Page
from tests.lab.webdriver import Browser, browser_in


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser_in(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def file(page: Page, tmp_path: Path) -> Path:
    page.write(tmp_path / "page.html")
    return tmp_path / "page.html"


@pytest.fixture
def browser(session: Browser, file: Path) -> Iterator[Browser]:
    """The page, freshly opened; whatever a test does, the console must stay silent."""
    session.open(file)
    yield session
    assert session.console() == []
