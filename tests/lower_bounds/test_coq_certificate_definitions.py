"""The definitions of the proofs in docs/proofs/ are this program's: the same graphs, the same game."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pebble.common.errors import IllegalMove
from pebble.computations.classic_dags import fft
from pebble.computations.masks import Mask
from pebble.computations.masks.arrays import mask_from_array
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.game import Game
from pebble.game.moves import Move, Op
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from tests.support.coq import compiled, needs_coq

pytestmark = pytest.mark.slow

_KINDS = {
    "attention": "Q K V S P U l O",
    "safe": "Q K V S P U l O m",
    "online": "Q K V S P U l O m a",
    "backward": "Q K V dO O l S P D dP dS dV dK dQ",
    "matmul": "A B C",
    "linear": "Q K V H O G",
    "latent": "Qc Qr Kc Kr S1 S2 P U l O",
}
_FILES = "Game Names SoftmaxNames BackwardNames LinearNames GatesNames FFTNames LatentNames Replay"
_HEADER = f"From mathcomp Require Import all_ssreflect.\nFrom Pebble Require Import {_FILES}.\n"
_GRAPHS: list[tuple[tuple[int, int, int, int], bool, str | None]] = [
    ((2, 3, 2, 1), True, None),
    ((3, 2, 1, 2), False, None),
    ((1, 1, 1, 1), True, None),
    ((3, 3, 2, 2), True, "causal"),
    ((4, 4, 1, 1), False, "window:2"),
]
_ROPE = [
    Problem(2, 1, 2, 1, True, heads=2, shared_rope=1),
    Problem(1, 2, 4, 2, heads=1, shared_rope=2),
    Problem(2, 2, 2, 1, heads=2, shared_rope=1, mask="causal"),
]


def _name(kinds: str, text: str) -> list[int]:
    """Return a vertex's name as docs/proofs/ writes it: of a butterfly the level and the bits."""
    letter, *numbers = re.split(r"[\[\],]+", text.rstrip("]"))
    indices = list(map(int, numbers))
    if letter == "x":
        return [indices[0], *(indices[1] >> bit & 1 for bit in range(3))]
    if kinds.startswith("rope"):
        return _rope_name(letter, indices, *map(int, kinds.split()[1:]))
    if kinds == _KINDS["linear"] and len(indices) == {"Q": 3, "O": 4}.get(letter):
        head, token, *others = indices  # of several heads, with two tokens each
        indices = [2 * head + token, *others]
    return [kinds.split().index(letter), *indices]


def _rope_name(letter: str, indices: list[int], Nq: int, Nk: int, own: int) -> list[int]:
    """Return the name of a vertex of heads that share rotary words: queries and keys of all heads in one order."""
    if letter == "Kr":
        return [3, *indices]
    head, line, *others = indices
    if letter in ("Kc", "V"):
        return [2, head * Nk + line, others[0] + own * (letter == "V")]
    where = {"S1": 0, "S2": 0, "P": 0, "l": 0, "U": 1}.get(letter)
    if where is not None:
        others[where] += head * Nk
    return [_KINDS["latent"].split().index(letter), head * Nq + line, *others]


def _coq(value: object) -> str:
    """Write whole numbers, lists, pairs and None in Coq."""
    if isinstance(value, list):
        return "[:: " + "; ".join(map(_coq, value)) + "]" if value else "[::]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_coq, value)) + ")"
    return str(value)


def _parts(
    dag: Dag, kinds: str
) -> tuple[list[list[int]], list[tuple[list[int], list[int]]], list[list[int]]]:
    names = [_name(kinds, dag.name(v)) for v in range(dag.n_vertices)]
    edges = [(names[p], names[v]) for v in range(dag.n_vertices) for p in dag.predecessors_of(v).tolist()]
    return names, edges, [names[v] for v in dag.outputs.tolist()]


def _random_mask(rng: random.Random) -> Mask:
    """Return a mask of any pattern, queries and keys without a pair included."""
    allowed = [[rng.random() < 0.5 for _ in range(4)] for _ in range(3)]
    allowed[rng.randrange(3)][rng.randrange(4)] = True
    return mask_from_array(allowed, empty_rows="zero")


def _allowed(problem: Problem) -> str:
    """Return which pairs are allowed, in Coq."""
    Nq, Nk = problem.Nq, problem.Nk
    matrix = problem.allowed.matrix((0, Nq), (0, Nk))
    heads = range(problem.heads if problem.shared_rope else 1)
    pairs = [(h * Nq + i, h * Nk + j) for h in heads for i in range(Nq) for j in range(Nk) if matrix[i, j]]
    return f"(fun i j => (i, j) \\in {_coq(pairs)})"


def _graphs() -> list[tuple[str, Dag, str]]:
    """Return computations of Names.v and the program's DAGs that they should be."""
    rng = random.Random(5)
    problems = [Problem(*sizes, stats, mask=mask) for sizes, stats, mask in _GRAPHS]
    problems += [Problem(3, 4, 1, 2, rng.random() < 0.5, mask=_random_mask(rng)) for _ in range(4)]
    some = problems[::4]
    backward = [replace(problem, pass_name="backward", stats=False) for problem in some]
    safe, online = ([replace(problem, softmax=softmax) for problem in some] for softmax in ("safe", "online"))
    found = []
    for problem in [*problems, *backward, *safe, *online]:
        sizes = f"{problem.Nq} {problem.Nk} {problem.d} {problem.dv}"
        if problem.pass_name == "backward":
            kinds = "backward"
        else:
            kinds = "attention" if problem.form == "plain" else problem.form
            sizes += f" {str(problem.stats).lower()}"
        found.append(
            (f"({kinds}_named {sizes} {_allowed(problem)})", family_of(problem).dag(), _KINDS[kinds])
        )
    for latent in (
        replace(problem, d=problem.d + problem.dv, shared_values=True) for problem in problems[2:9:3]
    ):
        sizes = f"{latent.Nq} {latent.Nk} {latent.d - latent.dv} {latent.dv} {str(latent.stats).lower()}"
        found.append(
            (f"(latent_named {sizes} {_allowed(latent)})", family_of(latent).dag(), _KINDS["latent"])
        )
    for rope in _ROPE:
        own = rope.d - rope.shared_rope
        sizes = f"{rope.heads} {rope.Nq} {rope.Nk - 1} {own} {rope.shared_rope} {rope.dv} {str(rope.stats).lower()}"
        coq = f"(shared_rope_named {sizes} {_allowed(rope)})"
        found.append((coq, family_of(rope).dag(), f"rope {rope.Nq} {rope.Nk} {own}"))
    for m, n, k in ((2, 3, 2), (1, 2, 3)):
        found.append((f"(matmul_named {m} {n} {k})", matmul_family(m, n, k).dag(), _KINDS["matmul"]))
    for heads, N in ((1, 3), (2, 2)):
        shared = Problem(N, N, 2, 1, attention="linear", mask="causal", heads=heads, kv_heads=1)
        found.append((f"(recurrent_named {heads} {N - 1} 2 1)", family_of(shared).dag(), _KINDS["linear"]))
        gated = replace(shared, gate=True)
        found.append(
            (f"(recurrent_gated_named {heads} {N - 1} 2 1)", family_of(gated).dag(), _KINDS["linear"])
        )
    right = Problem(2, 3, 1, 2, attention="linear")
    found.append(("(right_named 2 2 1 2)", family_of(right).dag(), _KINDS["linear"]))
    found.append(("(fft_named 3)", fft(8), "x"))
    return found


def _same_graph(coq: str, parts: Sequence[object]) -> str:
    goal = f"same_graph {coq} {' '.join(map(_coq, parts))}"
    return f"Goal {goal}.\nProof. vm_compute; reflexivity. Qed.\n"


def test_vertices_edges_and_outputs_are_the_programs(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    text = _HEADER + "".join(_same_graph(coq, _parts(dag, kinds)) for coq, dag, kinds in _graphs())
    assert compiled(text, tmp_path) is None


def test_a_wrong_edge_vertex_or_output_is_noticed(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    coq, dag, kinds = _graphs()[2]
    vertices, edges, outputs = _parts(dag, kinds)
    assert compiled(_HEADER + _same_graph(coq, (vertices, edges, outputs)), tmp_path) is None
    wrong = [
        (vertices, edges[1:], outputs),
        (vertices, [*edges, (vertices[0], vertices[-1])], outputs),
        (vertices[1:], edges, outputs),
        ([*vertices, [9, 9]], edges, outputs),
        (vertices, edges, outputs[1:]),
    ]
    text = _HEADER + "".join(_same_graph(coq, parts) for parts in wrong)
    refused = text.replace("vm_compute; reflexivity. Qed.", "vm_compute. Fail reflexivity. Abort.")
    assert refused.count("Fail") == len(wrong)
    assert compiled(refused, tmp_path) is None


def _random_dag(rng: random.Random) -> Dag:
    n = rng.randint(1, 6)
    edges = [(p, v) for v in range(n) for p in range(v) if rng.random() < 0.4]
    outputs = rng.sample(range(n), rng.randint(1, n)) if rng.random() < 0.5 else None
    return Dag.from_edges(edges, n, outputs=outputs)


def _random_moves(rng: random.Random, game: Game, dag: Dag) -> list[Move]:
    """Play at random, mostly legal moves; return what was played, the illegal one last if there is one."""
    played: list[Move] = []
    for _ in range(rng.randint(1, 60)):
        move = Move(Op(rng.randrange(5)), rng.randrange(dag.n_vertices))
        if move.op == Op.SLIDE:
            move = Move(Op.SLIDE, move.vertex, rng.randrange(dag.n_vertices))
        if game.is_legal(move) or rng.random() < 0.01:
            played.append(move)
            try:
                game.push(move)
            except IllegalMove:
                break
    return played


def test_random_pebblings_have_the_same_verdict_and_cost(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    rng = random.Random(11)
    goals, verdicts = [], []
    for _ in range(300):
        dag, M = _random_dag(rng), rng.randint(1, 5)
        game = Game(dag, M, Rules(sliding=True))
        moves = _random_moves(rng, game, dag)
        status = game.status()
        legal = status.moves == len(moves)
        verdict = f"Some {status.io}" if legal and status.complete else "None"
        verdicts.append((legal, status.complete))
        edges = [(p, v) for v in range(dag.n_vertices) for p in dag.predecessors_of(v).tolist()]
        columns = [(int(move.op), move.vertex, max(move.source, 0)) for move in moves]
        numbers = f"{dag.n_vertices} {_coq(edges)} {_coq(dag.outputs.tolist())} {M} {_coq(columns)}"
        goals.append(f"Goal replay {numbers} = {verdict}.\nProof. vm_compute; reflexivity. Qed.\n")
    for kind in ((True, True), (True, False), (False, True), (False, False)):
        assert verdicts.count(kind) >= 10
    assert compiled(_HEADER + "".join(goals), tmp_path) is None
