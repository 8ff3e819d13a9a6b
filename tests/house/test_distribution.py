"""The package that is imported is ours, and importing it costs little."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from importlib.metadata import distribution, entry_points, packages_distributions
from pathlib import Path

import pytest

import pebble

HEAVY = {"numpy", "networkx", "scipy", "matplotlib", "pandas"}


def _modules_after(code: str) -> set[str]:
    """Names of all modules that are loaded after some code has run in a fresh interpreter."""
    wrapped = (
        f"import json, sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", wrapped], capture_output=True, text=True, encoding="utf-8", check=True
    )
    names: list[str] = json.loads(done.stdout.splitlines()[-1])
    return set(names)


def test_the_package_is_ours() -> None:
    assert pebble.__doc__ is not None
    assert "red-blue" in pebble.__doc__
    assert not hasattr(pebble, "ProcessPool"), "this is the package of the same name with process pools"
    assert (Path(pebble.__file__).parent / "py.typed").exists()


def test_no_other_distribution_installs_the_same_packages() -> None:
    owners = packages_distributions()
    for package in ("pebble", "schedules"):
        assert set(owners.get(package, ["pebble-io"])) == {"pebble-io"}


def test_metadata() -> None:
    ours = distribution("pebble-io")
    assert ours.metadata["Requires-Python"] == ">=3.11"
    assert not any(
        name.lower().startswith("pebble;") or name.lower() == "pebble" for name in ours.requires or []
    )
    (script,) = entry_points(group="console_scripts", name="pebble")
    assert script.value == "pebble.cli:main"


@pytest.mark.parametrize("command", ["--help", "--version", "frobnicate"])
def test_help_imports_nothing_heavy(command: str) -> None:
    loaded = _modules_after(f"sys.argv = ['pebble', '{command}']; from pebble.cli import main; main()")
    assert "pebble.cli" in loaded
    assert loaded & HEAVY == set()
    assert not any(name == "schedules" or name.startswith("schedules.") for name in loaded)


def test_import_loads_nothing_else() -> None:
    loaded = _modules_after("import pebble; pebble.__dir__()")
    assert loaded & HEAVY == set()
    assert {name for name in loaded if name.partition(".")[0] in ("pebble", "schedules")} == {"pebble"}


def test_counting_does_without_networkx() -> None:
    loaded = _modules_after("import pebble; pebble.count(pebble.Problem.square(8, 2), 100)")
    assert loaded & HEAVY == {"numpy"}


def test_every_public_name_is_there() -> None:
    assert dir(pebble) == sorted([*pebble.__all__, "masks", "plots", "program"])
    for name in pebble.__all__:
        assert getattr(pebble, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        pebble.nonsense  # noqa: B018


def test_what_a_function_takes_can_be_made() -> None:
    """A class that a parameter names is public, in ``pebble.program``, or what a public function returns."""
    sources = Path(pebble.__file__).parent.rglob("*.py")
    classes = {
        name for path in sources for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.M)
    }
    functions = [
        getattr(pebble, name) for name in pebble.__all__ if inspect.isfunction(getattr(pebble, name))
    ]
    signatures = [inspect.signature(function) for function in functions]
    taken = {str(one.annotation) for signature in signatures for one in signature.parameters.values()}
    given = {str(signature.return_annotation) for signature in signatures}
    taken = {re.sub(r"Callable\[\[.*?\]", "", text) for text in taken}
    there = {*pebble.__all__, *pebble.program.__all__, *re.findall(r"\w+", " ".join(given))}
    assert set(re.findall(r"\w+", " ".join(taken))) & classes - there == set()


def test_no_module_hides_a_public_name() -> None:
    """Importing a submodule sets it as an attribute of the package, over a function of the same name."""
    root = Path(pebble.__file__).parent
    modules = {
        path.stem for path in root.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert modules & set(pebble.__all__) == set()


def test_every_package_names_what_it_offers() -> None:
    """In a module, what has no underscore is public; a package says what it takes from its modules."""
    root = Path(pebble.__file__).parent
    for path in sorted(root.rglob("__init__.py")):
        text = path.read_text(encoding="utf-8")
        if "import" in text:
            assert "__all__" in text, path
