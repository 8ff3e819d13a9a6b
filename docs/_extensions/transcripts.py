"""What a page shows is what its commands and its Python print; used by the documentation's build and by the tests.

``python docs/_extensions/transcripts.py PAGE …`` writes what its commands print into a page.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["console_faults", "consoles", "python_faults", "refreshed"]

_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^`([\w.-]+)`:\n\n```(?:text|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^```.*", re.MULTILINE)
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def consoles(text: str) -> list[str]:
    """Return the contents of a page's console blocks."""
    return [block.strip("\n") for block in _CONSOLE.findall(text)]


def console_faults(text: str, folder: Path) -> Iterator[str]:
    """Type a page's commands in an empty folder, one block after the other; say where it shows something else.

    Files that the page gives (a line with the name in backticks and a colon, then a block) are written first.
    """
    _write_files(text, folder)
    for shown in consoles(text):
        commands = _commands(shown)
        seen = _transcript(commands, folder)
        if not commands:
            yield f"a console block shows no command:\n{shown}"
        elif seen != shown:
            yield f"the page shows\n{shown}\nbut this is what comes:\n{seen}"


def python_faults(text: str, name: str) -> Iterator[str]:
    """Run a page's Python examples; say where they print something else."""
    test = doctest.DocTestParser().get_doctest(_FENCE.sub("", text), {}, name, name, 0)
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=_FLAGS).run(test, out=printed.append)
    if printed:
        yield "".join(printed)


def refreshed(text: str, folder: Path) -> str:
    """Return a page with what its commands print now."""
    _write_files(text, folder)
    return _CONSOLE.sub(lambda block: f"```console\n{_transcript(_commands(block[1]), folder)}\n```", text)


def _write_files(text: str, folder: Path) -> None:
    for name, content in _FILE.findall(text):
        (folder / name).write_text(content, encoding="utf-8")


def _commands(block: str) -> list[str]:
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def _transcript(commands: list[str], folder: Path) -> str:
    """Run commands as typed at a terminal, and put together what a reader would see, progress left out."""
    environment = {
        **os.environ,
        "PATH": f"{_tools(folder)}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUTF8": "1",
        "COLUMNS": "250",
    }
    lines: list[str] = []
    for command in commands:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        seen = done.stdout if done.returncode == 0 else done.stdout + done.stderr
        lines += [f"$ {command}", *seen.splitlines()]
    return "\n".join(lines)


def _tools(folder: Path) -> Path:
    """Return a folder with a command ``pebble`` that is the package of this interpreter."""
    tools = folder / ".tools"
    tools.mkdir(exist_ok=True)
    pebble = tools / "pebble"
    pebble.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pebble "$@"\n', encoding="utf-8")
    pebble.chmod(0o755)
    return tools


def _refresh(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path.write_text(refreshed(path.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        _refresh(Path(argument))
