"""The explorer in a real browser; without Chromium these tests are skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from pebble.lab.explorer import ExplorerPage, explore
from pebble.lab.explorer.points import every_point, load_points
from tests.lab.webdriver import Browser, have_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not have_browser(), reason="needs Chromium and chromedriver"),
]

# Not by location.hash: Chromium takes only so many changes of it in some seconds.
_READ = """
    const fragment = arguments[0];
    address.quietly(() => address.show(fragment));
    const numbers = (text) => Number(text.replace(/[^0-9]/g, ""));
    const rows = {};
    for (const name of [...document.querySelectorAll(".bar input")].map((one) => one.value)) {
        document.querySelector(`.bar input[value="${name}"]`).click();
        const of = (name) => document.querySelector(`.bar:has(:checked) ${name}`).textContent;
        rows[of(".bar-name b")] = [
            numbers(of(".bar-io b")),
            ...[...document.querySelectorAll("#moved tfoot td:not(.meaning)")].map((one) => numbers(one.textContent)),
        ];
    }
    return [rows, numbers(/at least ([0-9,]+) words/.exec(byId("bound").textContent)[1])];
"""


@pytest.fixture(scope="module")
def page() -> ExplorerPage:
    return explore()


def test_numbers_are_those_that_were_counted(browser: Browser) -> None:
    known = load_points()
    for point in list(every_point())[::3]:
        fragment = (
            f"N={point.N}&d={point.d}&M={point.M}"
            f"&mask={point.mask}&pass={point.pass_name}&width={point.sum_width}"
        )
        rows, bound = browser.run(_READ, fragment)
        expected = {}
        for name, row in known[point]["schedules"].items():
            reads, writes = map(sum, zip(*row["moved"].values(), strict=True))
            expected[name] = [reads + writes, reads, writes]
        assert (rows, bound) == (expected, known[point]["bound"][1]), point


def test_keys_move_a_slider_and_the_address_follows(browser: Browser, file: Path) -> None:
    assert browser.run("const page = document.documentElement; return page.scrollWidth <= page.clientWidth")
    browser.run("byId('M').focus()")
    browser.press("Left")
    browser.run("address.write()")
    link = browser.run("return location.hash")
    assert "M=24576" in link
    browser.open(file, link[1:])
    assert browser.text("#at").endswith("M = 24,576")


def test_a_link_to_no_stop_says_so(browser: Browser) -> None:
    browser.run("location.hash = 'N=5000&mask=round'; address.open()")
    assert browser.text("#notice-text").endswith("It shows nothing for mask=round; N = 4,096, not 5,000.")
    assert browser.text("#at").startswith("At N = 4,096")
