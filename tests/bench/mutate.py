"""Change a module in one place at a time, and see which changes its tests let pass; run by hand.

    nice -n 19 python tests/bench/mutate.py life --number 30
    python tests/bench/mutate.py --list

A *mutant* differs from the module in one node of its syntax tree: another comparison or operator, a constant off by
one, a condition negated, a statement left out, two arguments swapped. It is written into a copy of the checkout, and
``pytest -x`` runs the tests of its room there. What survives lacks a test, is equivalent (then it is named in
``EQUIVALENT``, with the reason), or shows a condition that the code does not need.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COUNTING, MASKS = "pebble/program/counting", "pebble/computations/masks"
QUESTIONS = ["tests/computations/masks/test_questions.py"]
ROOMS: dict[str, tuple[str, list[str]]] = {
    "life": (f"{COUNTING}/life.py", ["tests/program/test_life.py"]),
    "life_text": (f"{COUNTING}/life_text.py", ["tests/program/test_life.py"]),
    "life_visits": (f"{COUNTING}/life_visits.py", ["tests/program/test_life.py"]),
    "effects": (
        f"{COUNTING}/effects.py",
        ["tests/program/test_effects.py", "tests/program/test_progressions.py"],
    ),
    "boxes": (f"{COUNTING}/boxes.py", ["tests/program/test_effects.py"]),
    "box_words": (f"{COUNTING}/box_words.py", ["tests/program/test_effects.py"]),
    "measure": (f"{COUNTING}/measure.py", ["tests/program/test_effects.py"]),
    "progressions": (f"{COUNTING}/progressions.py", ["tests/program/test_progressions.py"]),
    "questions": (f"{MASKS}/questions.py", QUESTIONS),
    "band_questions": (f"{MASKS}/band_questions.py", QUESTIONS),
    "equal_blocks": (f"{MASKS}/equal_blocks.py", QUESTIONS),
    "union_mask": (f"{MASKS}/union_mask.py", QUESTIONS),
    "dense_mask": (f"{MASKS}/dense_mask.py", QUESTIONS),
    "lines_by_first": (f"{MASKS}/lines_by_first.py", QUESTIONS),
    "toeplitz_questions": (f"{MASKS}/toeplitz_questions.py", QUESTIONS),
}
EQUIVALENT = {
    "MOST_STATES = 30000": "a limit on work",
    "MOST_WORDS = 5000": "a limit on work",
    "MOST_PARTS = 8": "a limit on work",
    "MOST_BOXES = 2 * 10 ** 8": "a limit on work",
    "_CHUNK = 2 ** 20": "how much is looked at together",
    "_SMALL = 2 ** 61": "a limit with room to spare",
    "LEAST_TILES = 16": "when it is worth the trouble",
    "_MOST_MARKS = 64": "when it is worth the trouble",
    "stay = {*places.tolist(), *(end for end, moves in zip(ends, part.moves, strict=True) if not moves)}": (
        "where to cut is a matter of speed: _keep_order decides"
    ),
    "for begin in {end for end, moves in zip(ends, part.moves, strict=True) if moves}:": "the same",
    "apart = (np.minimum(before, after) >= 3 * step) | (np.maximum(before, after) <= -2 * step)": (
        "farther apart than is needed"
    ),
    "apart = (np.minimum(before, after) >= 2 * step) | (np.maximum(before, after) <= -3 * step)": "the same",
    "last = min((part.stop - 1 - low) // tile, number - 2)": "a tile less stands for others",
}
"""Statements, before or after a change, of mutants that count as the module does, and why."""

COMPARE = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATOR = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
NAMES = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any",
    "left": "right", "right": "left",
}  # fmt: skip


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a node may be changed into."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare) and type(new.ops[0]) in COMPARE:
        new.ops[0] = COMPARE[type(new.ops[0])]()
        yield new
    elif isinstance(new, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(new.op) in OPERATOR:
        new.op = OPERATOR[type(new.op)]()  # type: ignore[assignment]
        yield new
    elif isinstance(new, ast.Constant) and isinstance(new.value, int):
        number = new.value
        for value in [not number] if isinstance(number, bool) else [number - 1, number + 1]:
            yield ast.Constant(value)
    elif isinstance(new, ast.Name | ast.Attribute):
        name = new.id if isinstance(new, ast.Name) else new.attr
        if name in NAMES and isinstance(new.ctx, ast.Load):
            setattr(new, "id" if isinstance(new, ast.Name) else "attr", NAMES[name])
            yield new
    elif isinstance(new, ast.Call) and len(new.args) > 1:
        new.args[:2] = new.args[1::-1]
        yield new
    elif isinstance(new, ast.If | ast.IfExp):
        new.test = ast.UnaryOp(ast.Not(), new.test)
        yield new
    elif isinstance(new, ast.Assign | ast.AugAssign | ast.Raise | ast.Continue | ast.Return) or (
        isinstance(new, ast.Expr) and isinstance(new.value, ast.Call)
    ):
        yield ast.Pass()


def mutants(source: str) -> list[tuple[int, str, str, str]]:
    """Return all mutants of a module: line, the statement before and after, and the source."""
    tree, found = ast.parse(source), []
    annotations = {
        id(inner)
        for node in ast.walk(tree)
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if part is not None
        for inner in ast.walk(part)
    }
    functions = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    for statement in (node for one in functions for node in ast.walk(one) if isinstance(node, ast.stmt)):
        for parent in own_nodes(statement):
            if isinstance(parent, ast.keyword) and parent.arg == "strict":
                continue
            for field, value in ast.iter_fields(parent):
                for at, node in enumerate(value if isinstance(value, list) else [value]):
                    if not isinstance(node, ast.expr | ast.stmt) or id(node) in annotations:
                        continue
                    inner = statement if isinstance(node, ast.expr) else node
                    for new in changes(node):
                        before = head(inner)
                        put(parent, field, value, at, new)
                        after = head(inner) if isinstance(node, ast.expr) else head(new)
                        found.append((inner.lineno, before, after, ast.unparse(tree)))
                        put(parent, field, value, at, node)
    return found


def own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield a statement and the expressions in it, not those of statements in it."""
    yield statement
    inner = [node for node in ast.iter_child_nodes(statement) if not isinstance(node, ast.stmt)]
    for node in inner:
        yield from ast.walk(node)


def put(parent: ast.AST, field: str, value: object, at: int, new: ast.AST) -> None:
    """Make a node the child of its parent."""
    if isinstance(value, list):
        value[at] = new
    else:
        setattr(parent, field, new)


def head(node: ast.AST) -> str:
    """Return the first line of a statement."""
    return ast.unparse(node).splitlines()[0] if ast.unparse(node) else ""


def survives(copied: Path, tests: list[str], limit: float) -> bool:
    """Whether the tests pass, in time."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copied), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=copied, env=environment, capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> None:
    """Plant some mutants of a module and print those that survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("room", nargs="*", choices=[[], *ROOMS])
    parser.add_argument("--list", action="store_true", help="name the modules")
    parser.add_argument("--number", type=int, default=30, help="mutants of each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=60, help="seconds for the tests of one mutant")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{room}: {module}, {' '.join(tests)}" for room, (module, tests) in ROOMS.items()))
    for room in options.room:
        module, tests = ROOMS[room]
        with tempfile.TemporaryDirectory() as folder:
            copied = Path(folder) / "copy"
            shutil.copytree(ROOT, copied, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache"))
            source = (ROOT / module).read_text()
            if not survives(copied, tests, options.limit):
                sys.exit(f"{room}: its tests fail without any mutant")
            all_mutants = [one for one in mutants(source) if not {one[1], one[2]} & set(EQUIVALENT)]
            chosen = random.Random(options.seed).sample(all_mutants, min(options.number, len(all_mutants)))
            alive = 0
            for line, before, after, text in chosen:
                (copied / module).write_text(text)
                if survives(copied, tests, options.limit):
                    alive += 1
                    print(f"{module}:{line} survives\n    - {before}\n    + {after}", flush=True)
        print(f"{room}: {alive} of {len(chosen)} mutants survive ({len(all_mutants)} in all)", flush=True)


if __name__ == "__main__":
    main()
