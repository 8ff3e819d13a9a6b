"""D1 in docs/proofs/: its game of several devices and its heads are this program's, and its numbers are checked."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from pebble.common.errors import BoundDoesNotApply, IllegalMove, InvalidInput
from pebble.computations.attention import heads_family
from pebble.computations.load import load_dag
from pebble.computations.problem import Problem
from pebble.computations.shared_problem import SharedProblem
from pebble.game.processors.game import ProcessorGame
from pebble.game.processors.moves import ProcessorMove, ProcessorOp
from pebble.game.processors.settings import Processors
from pebble.game.processors.words import Word, WordNames, indices_of
from pebble.graph.any_dag import AnyDag
from pebble.graph.dag import Dag
from pebble.lower_bounds.attention.communication import d1_busiest, d1_total
from pebble.lower_bounds.attention.coq_communication import coq_communication
from tests.support.coq import compiled, needs_coq

_HEADER = (
    "From mathcomp Require Import all_ssreflect.\nFrom Pebble Require Import Game Names ProcessorsReplay.\n"
)
_CODES = {
    op: code
    for code, op in enumerate(
        (
            ProcessorOp.LOAD,
            ProcessorOp.STORE,
            ProcessorOp.DELETE,
            ProcessorOp.COMPUTE,
            ProcessorOp.MERGE,
            ProcessorOp.DISCARD,
            ProcessorOp.SEND,
            ProcessorOp.SUPERSTEP,
        )
    )
}


def _coq(value: object) -> str:
    """Write whole numbers, lists, pairs and limits in Coq."""
    if isinstance(value, list):
        return "[:: " + "; ".join(map(_coq, value)) + "]" if value else "[::]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_coq, value)) + ")"
    return str(value)


def _limit(words: int | None) -> str:
    return "None" if words is None else f"(Some {words})"


def _chains(dag: AnyDag, names: WordNames) -> dict[int, list[int]]:
    """Return the vertices of each free sum in the order of their terms, by the last."""
    chains: dict[int, list[int]] = {last: [last] for last in names.sum_at}
    for v, found in names.inner.items():
        chains[found.vertex].append(v)
    return {last: sorted(chain, key=lambda v: indices_of(dag.name(v))) for last, chain in chains.items()}


def _columns(move: ProcessorMove, chains: dict[int, list[int]]) -> tuple[object, ...]:
    """Return a move as docs/proofs/ProcessorsReplay.v reads it."""

    def terms(word: Word | None) -> list[int]:
        if word is None or word.vertex < 0:
            return []
        chain = chains.get(word.vertex)
        if chain is None:
            return [word.vertex]
        return sorted(v for rank, v in enumerate(chain) if word.terms >> rank & 1)

    last, word = max(move.to, 0), terms(move.word)
    if move.op == ProcessorOp.COMPUTE:
        chain = chains.get(move.word.vertex)
        last, word = (move.word.vertex, []) if chain is None else (chain[move.term], word)
    return (_CODES[move.op], max(move.device, 0), word, terms(move.other), last)


def _random_dag(rng: random.Random) -> tuple[AnyDag, tuple[str, ...]]:
    """Return a small DAG, and which of its sums are free."""
    kind = rng.randrange(3)
    if kind == 0:
        n = rng.randint(1, 5)
        edges = [(p, v) for v in range(n) for p in range(v) if rng.random() < 0.4]
        outputs = rng.sample(range(n), rng.randint(1, n)) if rng.random() < 0.5 else None
        return Dag.from_edges(edges, n, outputs=outputs, names=[f"x[{v}]" for v in range(n)]), ()
    if kind == 1:
        terms = rng.randint(1, 3)
        chain = [(f"C[0,{t}]", f"C[0,{t + 1}]") for t in range(terms - 1)]
        read = [(f"{letter}[{t}]", f"C[0,{t}]") for t in range(terms) for letter in "AB"[: rng.randint(1, 2)]]
        return Dag.from_edges([*read, *chain, (f"C[0,{terms - 1}]", "O[0]")]), ("C",)
    return load_dag("attention:1,2,1,1"), rng.choice([("l", "U"), ("U",), ()])


def _random_move(rng: random.Random, game: ProcessorGame) -> ProcessorMove:
    """Return any move, more often one that goes on with what a device holds."""
    P, names = game.processors.devices, game.names
    words = [v for v in range(game.dag.n_vertices) if v not in names.inner]
    p, v = rng.randrange(P), rng.choice(words)
    held = [*game.memory[p], *game.fast[p]]
    word = rng.choice(held) if held and rng.random() < 0.9 else names.full(v)
    known = [op for op in ProcessorOp if op in _CODES]
    op = rng.choice([*known, *[ProcessorOp.COMPUTE] * 6, ProcessorOp.SEND])
    if op == ProcessorOp.SUPERSTEP:
        return ProcessorMove(op)
    if op == ProcessorOp.SEND:
        kept = [one for one in held if one in game.memory[p]]
        return ProcessorMove(
            op, p, rng.choice(kept) if kept and rng.random() < 0.98 else word, to=rng.randrange(P)
        )
    if op == ProcessorOp.MERGE:
        return ProcessorMove(op, p, word, other=rng.choice(held or [word]))
    if op == ProcessorOp.COMPUTE:
        found = names.sum_at.get(v)
        if found is None:
            return ProcessorMove(op, p, Word(v))
        before = word if word.vertex == v and rng.random() < 0.7 else Word(v)
        return ProcessorMove(op, p, before, rng.randrange(len(found.terms)))
    return ProcessorMove(op, p, word)


def _random_run(rng: random.Random, game: ProcessorGame) -> tuple[list[ProcessorMove], bool]:
    """Play at random, mostly legal moves; return what was played, the illegal one last, and whether all is legal."""
    played: list[ProcessorMove] = []
    wrong = rng.choice([0.0, 0.0, 0.01])
    for _ in range(rng.randint(1, 300)):
        if game.complete and any(game.tally.counts("received")) and rng.random() < 0.3:
            break
        move = _random_move(rng, game)
        try:
            game.play(move)
        except IllegalMove:
            if move.op == ProcessorOp.SUPERSTEP or rng.random() < wrong:
                return [*played, move], False
            continue
        played.append(move)
    try:
        game.finish()
    except IllegalMove:
        return played, False
    return played, True


@pytest.mark.slow
def test_random_runs_have_the_same_verdict_and_count(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    rng = random.Random(7)
    goals, verdicts = [], []
    for _ in range(200):
        dag, sums = _random_dag(rng)
        memory, fast = (rng.choice([None, rng.randint(3, 9)]) for _ in range(2))
        try:
            game = ProcessorGame(dag, Processors(rng.randint(1, 3), "striped", memory, fast, sums))
        except InvalidInput:
            continue
        moves, legal = _random_run(rng, game)
        count = sum(game.tally.counts("received"))
        verdict = f"Some {count}" if legal and game.complete else "None"
        verdicts.append((legal, game.complete, count > 0))
        chains = _chains(dag, game.names)
        edges = [(p, v) for v in range(dag.n_vertices) for p in dag.predecessors_of(v).tolist()]
        owners = [game.owner.get(v, 0) for v in range(dag.n_vertices)]
        given = [
            dag.n_vertices - 1,
            edges,
            dag.outputs.tolist(),
            [sorted(one) for one in chains.values()],
            owners,
        ]
        limits = f"{game.processors.devices - 1} {_limit(memory)} {_limit(fast)}"
        columns = [_columns(move, chains) for move in moves]
        numbers = f"{' '.join(map(_coq, given))} {limits} {_coq(columns)}"
        goals.append(f"Goal replay_run {numbers} = {verdict}.\nProof. vm_compute; reflexivity. Qed.\n")
    for kind in ((True, True, True), (True, False, True), (False, False, True)):
        assert verdicts.count(kind) >= 8
    wrong = re.sub(
        r"= (Some \d+|None)\.\nProof.*", r"<> \1.\nProof. vm_compute. Fail discriminate. Abort.", goals[0]
    )
    assert compiled(_HEADER + "".join([*goals, wrong]), tmp_path) is None


def _one_head(name: str, N: int, group: int) -> list[int]:
    """Return the name of a vertex of several heads as one head has it: the rows of its heads follow each other."""
    letter, *numbers = re.split(r"[\[\],]+", name.rstrip("]"))
    index = list(map(int, numbers))
    kind = "QKVSPUlO".index(letter)
    if letter in "KV":
        j, g, rest = index[0], index[1], index[2:]
        return [kind, g * N + j, *rest]
    if letter in "SP":
        i, j, g, r = index[:4]
        return [kind, (g * group + r) * N + i, g * N + j, *index[4:]]
    i, g, r = index[:3]
    row = [kind, (g * group + r) * N + i]
    if letter == "U":
        return [*row, index[3], g * N + index[4]]
    return [*row, g * N + index[3]] if letter == "l" else [*row, *index[3:]]


def _same_heads(heads: int, kv_heads: int) -> str:
    """Return that attention of several heads is that of one, under a mask that lets each see its own keys."""
    N, group = 2, heads // kv_heads
    dag = heads_family(Problem.square(N, 1), heads, kv_heads).dag()
    names = [_one_head(dag.name(v), N, group) for v in range(dag.n_vertices)]
    edges = [(names[p], names[v]) for v in range(dag.n_vertices) for p in dag.predecessors_of(v).tolist()]
    parts = " ".join(map(_coq, (names, edges, [names[v] for v in dag.outputs.tolist()])))
    mask = f"(fun i j => i %/ {N * group} == j %/ {N})"
    goal = f"same_graph (attention_named {N * heads} {N * kv_heads} 1 1 false {mask}) {parts}"
    return f"Goal {goal}.\nProof. vm_compute; reflexivity. Qed.\n"


@pytest.mark.slow
def test_several_heads_are_one_under_a_mask_of_blocks(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    assert compiled(_HEADER + _same_heads(2, 2) + _same_heads(2, 1), tmp_path) is None


_SIZES = [
    SharedProblem(4096, 64, 16),
    SharedProblem(1000, 64, 16, 4, 2, causal=True),
    SharedProblem(2**20, 128, 1024, 32, 8),
    SharedProblem(60, 40, 7),
]
_STATEMENT = re.compile(r"^Theorem (\w+) : (\w+) (.*) (\d+)\.$", re.MULTILINE)


@pytest.mark.parametrize("sizes", _SIZES, ids=str)
def test_the_numbers_are_those_that_are_printed(sizes: SharedProblem) -> None:
    stated = {name: int(words) for name, _, _, words in _STATEMENT.findall(coq_communication(sizes))}
    printed = {"D1_total": d1_total(sizes).value, "D1_busiest": d1_busiest(sizes).value}
    assert stated == {name: words for name, words in printed.items() if words}


def test_what_says_nothing_is_refused() -> None:
    with pytest.raises(BoundDoesNotApply, match="gives nothing"):
        coq_communication(SharedProblem(64, 8, 1))
    with pytest.raises(BoundDoesNotApply, match="forward pass"):
        coq_communication(SharedProblem(64, 8, 4, pass_name="backward"))


@pytest.mark.slow
def test_coq_accepts_them_and_refuses_greater_ones(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    texts = []
    for number, sizes in enumerate(_SIZES):
        text = coq_communication(sizes)
        header, theorems = text[: text.index("Theorem")], text[text.index("Theorem") :]
        greater = re.sub(r" (\d+)\.\n", lambda found: f" {int(found[1]) + 1}.\n", theorems)
        greater = greater.replace("vm_compute; reflexivity. Qed", "vm_compute. Fail reflexivity. Abort")
        assert greater.count("Fail") == theorems.count("Theorem") > 0
        texts += [
            f"Module Some{number}.\n",
            theorems,
            f"End Some{number}.\n",
            f"Module Greater{number}.\n",
            greater,
            f"End Greater{number}.\n",
        ]
    assert compiled(header + "".join(texts), tmp_path) is None
