"""Schedules for several devices as programs: what each device receives, works on and discards."""

from __future__ import annotations

from pebble.program import (
    Node,
    Nodes,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    not_first,
    not_last,
    parallel,
    store,
    when,
)

__all__ = [
    "FORWARD",
    "all_gather",
    "grid",
    "heads_grid",
    "pass_q",
    "pass_q_ring",
    "ring",
    "ring_backward",
    "ring_q_backward",
    "ulysses",
    "usp",
]

devices, discard, own_tile = parallel.devices, parallel.discard, parallel.own_tile
receive, turns = parallel.receive, parallel.turns


_WORK: tuple[Nodes, ...] = (
    load("Q", "K", "V"),
    compute("S"),
    compute("P", "S"),
    compute("l"),
    compute("U"),
    delete("Q", "K", "V", "P"),
)


def _inner(inner: parallel.InnerWork | None, kind: str) -> tuple[Node, ...]:
    """Return an inner schedule's nests, or whole tiles at once where none is given."""
    if inner is not None:
        return {"whole": inner.whole, "partial": inner.partial, "turns": inner.over("r")}[kind]
    finished = compute("O", "U"), store("O"), delete("O", "l")
    partial = store("U", "l"), delete("U", "l")
    if kind == "turns":
        before = when(not_first("r"), load("U", "l"))
        return loop("i", 1, before, _WORK, when(last("r"), finished), when(not_last("r"), partial)).body
    return loop("i", 1, _WORK, partial if kind == "partial" else finished).body


def all_gather(P: int, inner: parallel.InnerWork | None = None) -> parallel.DeviceProgram:
    """All keys and values at once, from their owners; then attention of the own queries."""
    gathered = parallel.turns("j", when(not_first("r"), parallel.receive("K", "V")))
    return parallel.devices(P, gathered, _inner(inner, "whole"), i="p")


def ring(P: int, inner: parallel.InnerWork | None = None) -> parallel.DeviceProgram:
    """Keys and values go round; each device adds the block at hand to its sums, and passes it on."""
    return parallel.devices(
        P,
        parallel.turns(
            "j",
            when(not_first("r"), parallel.receive("K", "V", source="p - 1")),
            _inner(inner, "turns"),
            when(not_first("r"), parallel.discard("K", "V")),
        ),
        i="p",
    )


def pass_q(P: int, inner: parallel.InnerWork | None = None) -> parallel.DeviceProgram:
    """All queries at once, to the keys of each device; partial outputs back to the owners, who add them up."""
    return parallel.devices(
        P,
        parallel.turns("i", when(not_first("r"), parallel.receive("Q"))),
        _inner(inner, "partial"),
        parallel.own_tile(
            "i", parallel.turns("j", when(not_first("r"), parallel.receive("U", "l", adding=True)))
        ),
        _finish(),
        j="p",
    )


def _finish(along: str = "p") -> Node:
    return parallel.own_tile(
        "i", loop("i", 1, load("U", "l"), compute("O", "U"), store("O"), delete("O", "l")), along=along
    )


def pass_q_ring(P: int, inner: parallel.InnerWork | None = None) -> parallel.DeviceProgram:
    """Queries go round, their partial outputs behind them, and home at the end."""
    work = _inner(inner, "partial")
    return parallel.devices(
        P,
        parallel.own_tile("i", work),
        parallel.turns(
            "i",
            parallel.receive("Q", source="p - 1"),
            when(not_first("r"), parallel.receive("U", "l", source="p - 1")),
            work,
            parallel.discard("Q", "U", "l"),
            start=1,
        ),
        parallel.own_tile("i", parallel.receive("U", "l", source="p - 1", adding=True)) if P > 1 else None,
        _finish(),
        j="p",
    )


def ring_backward(P: int) -> parallel.DeviceProgram:
    """Keys and values go round, and their gradients behind them, begun by the first device that they visit."""
    return parallel.devices(
        P,
        parallel.own_tile("j", _gradients()),
        parallel.turns(
            "j",
            parallel.receive("K", "V", source="p - 1"),
            when(not_first("r"), parallel.receive("dK", "dV", source="p - 1")),
            _gradients(),
            parallel.discard("K", "V", "dK", "dV"),
            start=1,
        ),
        parallel.own_tile("j", parallel.receive("dK", "dV", source="p - 1", adding=True)) if P > 1 else None,
        i="p",
    )


def ring_q_backward(P: int) -> parallel.DeviceProgram:
    """Queries go round with dO, l and D, and dQ behind them; dK and dV stay."""
    rows = "Q", "dO", "l", "D"
    return parallel.devices(
        P,
        parallel.own_tile("i", _gradients()),
        parallel.turns(
            "i",
            parallel.receive(*rows, source="p - 1"),
            when(not_first("r"), parallel.receive("dQ", source="p - 1")),
            _gradients(),
            parallel.discard(*rows, "dQ"),
            start=1,
        ),
        parallel.own_tile("i", parallel.receive("dQ", source="p - 1", adding=True)) if P > 1 else None,
        j="p",
    )


def _gradients() -> tuple[Node, ...]:
    """Write the gradients of a block, whole tiles at once."""
    given = "Q", "K", "V", "dO", "l"
    first: tuple[Nodes, ...] = load(*given, "O"), compute("S"), compute("P", "S"), compute("D"), compute("dP")
    last: tuple[Nodes, ...] = compute("dS", "dP"), compute("dV"), compute("dK"), compute("dQ")
    return loop("i", 1, *first, *last, delete(*given, "O", "P", "D", "dS")).body


def grid(R: int, C: int, inner: parallel.InnerWork | None = None) -> parallel.DeviceProgram:
    """Queries are gathered along rows of devices and keys along columns; partial outputs go back along rows."""
    return parallel.devices(
        {"r": R, "c": C},
        parallel.turns("i", when(not_first("s"), parallel.receive("Q")), along="c", label="s"),
        parallel.turns("j", when(not_first("s"), parallel.receive("K", "V")), along="r", label="s"),
        _inner(inner, "partial"),
        parallel.own_tile(
            "i",
            parallel.turns(
                "j", when(not_first("s"), parallel.receive("U", "l", adding=True)), along="c", label="s"
            ),
            along="c",
        ),
        _finish("c"),
        i="r",
        j="c",
    )


def ulysses(P: int, inner: parallel.InnerWork | None = None) -> parallel.DeviceProgram:
    """All tokens of a part of the heads on each device; the outputs go back to the owners of the tokens."""
    return parallel.devices(
        P,
        parallel.turns("i", when(not_first("r"), parallel.receive("Q"))),
        parallel.turns("j", when(not_first("r"), parallel.receive("K", "V"))),
        _inner(inner, "whole"),
        parallel.own_tile("i", parallel.turns("h", when(not_first("r"), parallel.receive("O")))),
        h="p",
    )


def usp(u: int, R: int, inner: parallel.InnerWork | None = None) -> parallel.DeviceProgram:
    """Heads over u devices, and rings of R among those with the same heads, the keys of u devices at a time."""
    gather_keys = parallel.turns("j", when(not_first("s"), parallel.receive("K", "V")), along="a", label="s")
    return parallel.devices(
        {"b": R, "a": u},
        parallel.turns("i", when(not_first("s"), parallel.receive("Q")), along="a", label="s"),
        parallel.own_tile("j", gather_keys, along="b"),
        parallel.turns(
            "j",
            when(not_first("r"), parallel.receive("K", "V", source="b - 1")),
            _inner(inner, "turns"),
            when(not_first("r"), parallel.discard("K", "V")),
            along="b",
        ),
        parallel.own_tile(
            "i",
            parallel.turns("h", when(not_first("s"), parallel.receive("O")), along="a", label="s"),
            along="a",
        ),
        h="a",
        i="b",
    )


def heads_grid(h: int, R: int, C: int, inner: parallel.InnerWork | None = None) -> parallel.DeviceProgram:
    """Heads over h grids of R × C devices; partial outputs go straight to the owners, outputs where they are whole."""
    partial = parallel.turns("j", *_but_own(parallel.receive("U", "l", adding=True)), along="c", label="t")
    end: Nodes = (
        parallel.own_tile(
            "i",
            parallel.own_tile("i", parallel.turns("h", partial, along="a", label="s"), along="c"),
            along="a",
        ),
        parallel.own_tile("i", parallel.turns("h", _finish("c"), along="a", label="s"), along="a"),
    )
    if C == 1:
        whole = when(not_first("s"), parallel.receive("O"))
        end = parallel.own_tile("i", parallel.turns("h", whole, along="a", label="s"), along="a")
    return parallel.devices(
        {"r": R, "c": C, "a": h},
        parallel.turns(
            "i",
            parallel.turns("i", *_but_own(parallel.receive("Q")), along="c", label="t"),
            along="a",
            label="s",
        ),
        parallel.turns(
            "j",
            parallel.turns("j", *_but_own(parallel.receive("K", "V")), along="r", label="t"),
            along="a",
            label="s",
        ),
        _inner(inner, "whole" if C == 1 else "partial"),
        end,
        h="a",
        i="r",
        j="c",
    )


def _but_own(nodes: Nodes) -> tuple[Node, ...]:
    """Write what two loops over turns, s and t inside, do with all tiles but the own one."""
    return when(not_first("s"), nodes), when(first("s"), when(not_first("t"), nodes))


FORWARD = {
    "all-gather": all_gather,
    "ring": ring,
    "pass-q": pass_q,
    "pass-q-ring": pass_q_ring,
    "ulysses": ulysses,
}
"""Forward programs that are told by the number of devices."""
