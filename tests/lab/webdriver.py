"""A small client of the WebDriver protocol: enough to drive one headless Chromium through chromedriver."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Browser", "browser_in", "have_browser"]

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en",
    "--window-size=1400,900",
)
KEYS = {"Enter": "\ue007", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015"} | {
    "Home": "\ue011",
    "End": "\ue010",
    "Shift": "\ue008",
    "Space": " ",
}


def have_browser() -> bool:
    """Whether Chromium and its driver are installed."""
    return bool(shutil.which("chromedriver") and _chromium())


def _chromium() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One session; scripts are function bodies with ``arguments`` and ``return``."""

    def __init__(self, address: str, session: str) -> None:
        self._base = f"{address}/session/{session}"

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return _request(method, self._base + path, body)

    def open(self, path: Path, fragment: str = "") -> None:
        self.call("POST", "/url", {"url": path.resolve().as_uri() + (fragment and f"#{fragment}")})

    def go(self, where: str) -> None:
        """Go ``back`` or ``forward``."""
        self.call("POST", f"/{where}", {})

    @contextmanager
    def size(self, width: int, height: int) -> Iterator[None]:
        """Give the window a size, that of a phone with a finger for a pointer."""
        phone = width < 500
        self.emulate(
            "setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )
        self.emulate("setTouchEmulationEnabled", enabled=phone, maxTouchPoints=1)
        try:
            yield
        finally:
            self.emulate("setTouchEmulationEnabled", enabled=False)
            self.emulate("clearDeviceMetricsOverride")

    def run(self, script: str, *arguments: Any) -> Any:
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector: str) -> str:
        found: str = self.run("return document.querySelector(arguments[0]).textContent", selector)
        return found.strip()

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
        found: list[str] = self.run(script, selector)
        return found

    def click(self, selector: str) -> None:
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})[_ELEMENT]
        self.call("POST", f"/element/{found}/click", {})

    def press(self, *keys: str) -> None:
        """Press keys one after the other; ``Shift+Right`` holds one while the other is pressed."""
        actions: list[dict[str, str]] = []
        for key in keys:
            codes = [KEYS.get(part, part) for part in key.split("+")]
            actions += [{"type": "keyDown", "value": code} for code in codes]
            actions += [{"type": "keyUp", "value": code} for code in reversed(codes)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def choose(self, selector: str, label: str) -> None:
        """Choose the option of a select whose text begins like this."""
        script = """
            const select = document.querySelector(arguments[0]);
            select.value = [...select.options].find((one) => one.text.startsWith(arguments[1])).value;
            select.dispatchEvent(new Event("change", { bubbles: true }));"""
        self.run(script, selector, label)

    def emulate(self, command: str, **parameters: Any) -> None:
        self.call("POST", "/goog/cdp/execute", {"cmd": f"Emulation.{command}", "params": parameters})

    def console(self) -> list[str]:
        """Messages of the console since the last call, complaints about the policy included."""
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries]


@contextmanager
def browser_in(folder: Path) -> Iterator[Browser]:
    """Start chromedriver and a browser whose files lie in an empty folder, and end both afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    driver = subprocess.Popen(
        ["chromedriver", f"--port={port}", "--log-level=OFF"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(address)
        options = {"binary": _chromium(), "args": [*_FLAGS, f"--user-data-dir={folder}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = _request("POST", f"{address}/session", {"capabilities": {"alwaysMatch": wanted}})
        browser = Browser(address, made["sessionId"])
        try:
            yield browser
        finally:
            browser.call("DELETE", "")
    finally:
        driver.terminate()
        driver.wait(timeout=20)


def _wait(address: str) -> None:
    for _ in range(200):
        try:
            if _request("GET", f"{address}/status")["ready"]:
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise TimeoutError("chromedriver does not answer")


def _request(method: str, url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None and method != "POST" else json.dumps(body or {}).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with _OPENER.open(request, timeout=60) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        value = json.load(error)["value"]
        raise RuntimeError(f"{value['error']}: {value['message'].splitlines()[0]}") from None
