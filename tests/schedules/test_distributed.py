"""Schedules for several devices: the referee's counts are the published forms, written out here once more."""

from __future__ import annotations

import random
from itertools import product
from math import prod
from typing import Any

import pytest

from pebble.common.errors import ContractBroken, InvalidInput
from pebble.program.parallel import (
    LAYOUTS,
    Exchange,
    ExchangeTraffic,
    SharedProblem,
    distributed_schedule,
    distributed_schedules,
    play,
)
from pebble.testing import check_distributed_schedule
from tests.support.random_processor_runs import masks_of

Shape = tuple[int, ...]


def some(quick: int, slow: int) -> list[Any]:
    """Seeds: the first ones quick, the others for the long run."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, slow))]


def played(
    name: str, problem: SharedProblem, shape: Shape = (), pass_on: str = "needed"
) -> tuple[ExchangeTraffic, SharedProblem]:
    return play(distributed_schedule(name).exchange(problem, shape, pass_on)), problem


def T(x: int) -> int:
    return x * (x + 1) // 2


def dense_forms(p: SharedProblem, h: int, R: int, C: int) -> dict[str, tuple[int, Shape, int, int]]:
    """Words a device receives without a mask, shape, rounds and pairs, by name."""
    N, d, P, Hq, Hk, n = p.N, p.d, p.P, p.heads, p.kv_heads, p.N // p.P
    q, k = Hq // h, max(1, Hk // h)
    ring, t, whole = 2 * n * d * (P - 1) * Hk, P // h, (R * h, C)
    one_by_one = n * (2 * d + 1) * (P - 1) * Hq
    grid = n * ((2 * d + 1) * (C - 1) * Hq + 2 * d * (R * h - 1) * Hk)
    usp = (h - 1) * n * d * (q + 2 * k) + (t - 1) * h * n * 2 * d * k + n * d * (Hq - q)
    back = n * (d + (C > 1)) * ((Hq - q) * C + q * (C - 1))
    heads_grid = (C * h - 1) * n * d * q + (R * h - 1) * 2 * n * d * k + back
    all_heads = (N - n) * d * (Hq // P + 2 * max(1, Hk // P)) + n * d * (Hq - Hq // P)
    pairs = N * N * Hq // P
    several = int(P > 1)
    return {
        "all-gather": (ring, (), several, pairs),
        "ring": (ring, (), P - 1, pairs),
        "pass-q": (one_by_one, (), 2 * several, pairs),
        "pass-q-ring": (one_by_one, (), P * several, pairs),
        "grid": (grid, whole, 2 if C > 1 else int(R * h > 1), pairs),
        "grid-ring": (grid, whole, R * h + 1 if C > 1 else R * h - 1, pairs),
        "ulysses": (all_heads, (), 2 * several, pairs),
        "usp": (usp, (h, t), t + 1 if h > 1 else t - 1, pairs),
        "heads-grid": (heads_grid, (h, R, C), 2 if C * h > 1 else int(R > 1), pairs),
    }


def backward_forms(p: SharedProblem, h: int, R: int, C: int) -> dict[str, tuple[int, Shape]]:
    n, d, P, Hq, Hk = p.N // p.P, p.d, p.P, p.heads, p.kv_heads
    q, k = Hq // h, max(1, Hk // h)
    heads_grid = (C * h - 1) * n * (2 * d + 2) * q + (R * h - 1) * 2 * n * d * k
    usp = (h - 1) * n * ((2 * d + 2) * q + 2 * d * k) + (P // h - 1) * h * n * 2 * d * k
    usp += n * d * (Hq - q) + 2 * n * d * k * (P - 1)
    grid = n * ((3 * d + 2) * (C - 1) * Hq + 4 * d * (R * h - 1) * Hk)
    heads_grid += n * d * ((Hq - q) * C + q * (C - 1)) + 2 * n * d * (Hk * R * max(1, h // Hk) - k)
    return {
        "ring": (4 * n * d * (P - 1) * Hk, ()),
        "ring-q": ((3 * d + 2) * n * (P - 1) * Hq, ()),
        "all-gather": (4 * n * d * (P - 1) * Hk, ()),
        "grid": (grid, (R * h, C)),
        "grid-ring": (grid, (R * h, C)),
        "pass-q": ((3 * d + 2) * n * (P - 1) * Hq, ()),
        "usp": (usp, (h, P // h)),
        "heads-grid": (heads_grid, (h, R, C)),
    }


def random_problem(seed: int, pass_name: str = "forward") -> tuple[SharedProblem, tuple[int, int, int]]:
    chance = random.Random(seed)
    h, R, C = (chance.choice((1, 1, 2, 3)) for _ in range(3))
    kv_heads = chance.choice((1, h, 2 * h))
    heads = kv_heads * chance.choice([g for g in (1, 2, 3, 4, 6) if kv_heads * g % (h * R * C) == 0] or [h])
    N = h * R * C * chance.choice((2, 4, 5))
    problem = SharedProblem(N, chance.randint(1, 3), h * R * C, heads, kv_heads, pass_name=pass_name)
    return problem, (h, R, C)


@pytest.mark.many(2)
@pytest.mark.parametrize("seed", some(5, 40))
def test_without_a_mask_every_device_receives_what_the_form_says(seed: int) -> None:
    problem, parts = random_problem(seed)
    for name, (words, shape, rounds, pairs) in dense_forms(problem, *parts).items():
        if name == "ulysses" and (
            problem.heads % problem.P or (problem.kv_heads % problem.P and problem.P % problem.kv_heads)
        ):
            continue
        traffic, _ = played(name, problem, shape)
        assert set(traffic.received) == {words} == set(traffic.sent), name
        assert distributed_schedule(name).dense_words(problem, shape) == words
        assert (traffic.rounds, set(traffic.pairs)) == (rounds, {pairs}), name


@pytest.mark.many(2)
@pytest.mark.parametrize("seed", some(5, 40))
def test_backward_every_device_receives_what_the_form_says(seed: int) -> None:
    problem, parts = random_problem(seed, "backward")
    for name, (words, shape) in backward_forms(problem, *parts).items():
        assert set(played(name, problem, shape)[0].received) == {words}, name
        assert distributed_schedule(name).dense_words(problem, shape) == words
    assert played("ring", problem)[0].rounds == (problem.P if problem.P > 1 else 0)


@pytest.mark.parametrize("seed", some(10, 200))
def test_closed_form_and_referee_agree_on_any_shape(seed: int) -> None:
    """Ragged tiles, grouped heads, all masks, all layouts, both passes, any shape; other numbers of queries."""
    chance = random.Random(seed)
    P, group, kv_heads = chance.randint(1, 10), chance.choice((1, 2, 3)), chance.choice((1, 2, 4))
    N = chance.randint(2 * P, 5 * P)
    Nq, groups = chance.choice(
        ((None, None), (None, None), (2 * P, (group,) * (kv_heads - 1) + (2 * group,)))
    )
    problem = SharedProblem(
        *(N, chance.randint(1, 3), P, sum(groups) if groups else group * kv_heads, kv_heads),
        pass_name=chance.choice(("forward", "backward")),
        layout=chance.choice(LAYOUTS),
        dv=chance.choice((None, 2)),
        mask=chance.choice((None, "causal", "causal", *masks_of(N, Nq or N, chance))),
        Nq=Nq,
        groups=groups,
    )
    for schedule in distributed_schedules(problem.pass_name):
        try:
            shape = chance.choice(schedule.shapes(problem))
        except InvalidInput:
            continue
        pass_on = chance.choice(("all", "needed"))
        traffic = play(schedule.exchange(problem, shape, pass_on))
        form = schedule.closed_form(problem, shape, pass_on)
        assert (form.received, form.rounds) == (traffic.received, traffic.rounds), (schedule, shape, pass_on)
        assert sum(traffic.pairs) == problem.pairs * problem.heads, "no pair is computed twice"
        assert traffic.total == sum(traffic.sent) == int(traffic.links.sum())


@pytest.mark.many(2)
@pytest.mark.parametrize("name", [schedule.name for schedule in distributed_schedules()])
@pytest.mark.parametrize("pass_on", ["needed", "all"])
def test_contract(name: str, pass_on: str) -> None:
    """Whatever is registered keeps what every schedule for several devices promises."""
    schedule, kept = distributed_schedule(name), 0
    for pass_name, masked, layout in product(schedule.passes, (False, True), schedule.layouts):
        decoded = 3 if schedule.decodes else None
        heads = (6, 3) if name == "ulysses" else (2, 1)
        try:
            problem = SharedProblem(13, 2, 6, *heads, masked, pass_name, layout, queries_decoded=decoded)
            schedule.shapes(problem)
        except InvalidInput:
            continue
        check_distributed_schedule(schedule, problem, pass_on=pass_on)
        kept += 1
    assert kept


def test_a_broken_contract_is_found() -> None:
    class Forgetful(type(distributed_schedule("pass-q"))):  # type: ignore[misc]
        def exchange(self, *arguments: Any) -> Exchange:
            exchange: Exchange = super().exchange(*arguments)
            exchange.supersteps[1].receives.pop()
            return exchange

    with pytest.raises(ContractBroken, match=r"the exchange is legal: .* finishes an incomplete row"):
        check_distributed_schedule(Forgetful(), SharedProblem(8, 2, 4))


def causal(N: int, d: int, P: int, layout: str, heads: int = 1) -> SharedProblem:
    return SharedProblem(N, d, P, heads, heads, causal=True, layout=layout)


@pytest.mark.parametrize(("n", "d", "P"), [(2, 1, 2), (4, 3, 5), (6, 2, 8), (2, 2, 9)])
class TestCausal:
    def test_contiguous(self, n: int, d: int, P: int) -> None:
        for name in ("ring", "all-gather"):
            traffic, p = played(name, causal(n * P, d, P, "contiguous"))
            assert traffic.received == tuple(2 * device * n * d for device in range(P))
            assert traffic.total == p.N * d * (P - 1)
            assert traffic.pairs == tuple(T(n) + device * n * n for device in range(P))
        assert played("ring", p)[0].rounds == P - 1
        assert set(played("ring", p, pass_on="all")[0].received) == {2 * n * d * (P - 1)}

    def test_zigzag(self, n: int, d: int, P: int) -> None:
        c = n // 2
        p = causal(n * P, d, P, "zigzag")
        gathered, _ = played("all-gather", p)
        assert gathered.received == tuple(2 * (2 * P - 2 - device) * c * d for device in range(P))
        assert 4 * gathered.total == 3 * 2 * n * d * (P - 1) * P, (
            "three quarters of what moves without a mask"
        )
        ring, _ = played("ring", p)
        assert (max(ring.received), ring.total) == (2 * n * d * (P - 1), 3 * n * d * P * (P - 1) // 2)
        assert set(played("ring", p, pass_on="all")[0].received) == {2 * n * d * (P - 1)}
        assert set(ring.pairs) == {c * (p.N + 1)}
        assert ring.work_sum == c * (p.N + 1), "every turn is balanced"

    def test_striped(self, n: int, d: int, P: int) -> None:
        ring, p = played("ring", causal(n * P, d, P, "striped"))
        assert set(ring.received) == {2 * n * d * (P - 1)}
        assert ring.pairs == tuple(n * (p.N - P) // 2 + (device + 1) * n for device in range(P))
        assert ring.work_sum == p.N * (n + 1) // 2

    def test_lightseq(self, n: int, d: int, P: int) -> None:
        traffic, p = played("lightseq", causal(n * P, d, P, "contiguous"))
        far, even = (P - 1) // 2, P % 2 == 0
        assert traffic.received == tuple(
            2 * n * d * (min(device, far) + (even and device >= P / 2))
            + n * d * max(0, far - device)
            + n * (d + 1) * max(0, far + device + 1 - P)
            for device in range(P)
        )
        assert traffic.total == p.N * d * (P - 1) + n * far * (far + 1) // 2
        assert traffic.rounds == -(-P // 2)
        assert traffic.pairs == tuple(
            T(n) + n * n * (far + (even and device >= P / 2)) for device in range(P)
        )

    def test_lightseq_backward(self, n: int, d: int, P: int) -> None:
        """Keys are fetched and their gradients sent back; far queries are fetched and dQ is sent back."""
        p = SharedProblem(n * P, d, P, causal=True, pass_name="backward")
        far, even = (P - 1) // 2, P % 2 == 0
        assert played("lightseq", p)[0].received == tuple(
            2 * n * d * (min(device, far) + (even and device >= P / 2))
            + 2 * n * d * (min(P - 1 - device, far) + (even and device < P / 2))
            + n * (2 * d + 2) * max(0, far - device)
            + n * d * max(0, far + device + 1 - P)
            for device in range(P)
        )


def test_what_devices_need_under_a_mask_is_what_moves() -> None:
    """Keys of a window and of sinks cross a border once; a document on one device does not move."""
    n, d, P = 8, 3, 4
    for mask, before in (("window:4", 3), ("window:4+sink:2", 5), ("window:12", 11), ("document:8x4", 0)):
        p = SharedProblem(n * P, d, P, 2, 1, mask=mask)
        rows = [min(before, device * n) for device in range(P)]
        assert played("all-gather", p)[0].received == tuple(2 * d * count for count in rows), mask
    received = played("pass-q", SharedProblem(n * P, d, P, mask="window:4"))[0].received
    assert received == (d * 3, *[(2 * d + 1) * 3] * (P - 2), (d + 1) * 3)


@pytest.mark.parametrize(("m", "n", "d"), [(1, 3, 2), (3, 2, 2), (5, 4, 1), (7, 1, 3)])
def test_triangle(m: int, n: int, d: int) -> None:
    P, s = m * (m + 1) // 2, n * (m + 1) // 2
    traffic, p = played("triangle", causal(n * P, d, P, "contiguous"))
    assert max(traffic.received) <= 3 * s * d + (m - 1) * n * (d + 1)
    assert set(traffic.pairs) == ({s * s, T(s)} if m > 1 else {T(s)})
    assert traffic.rounds == (2 if P > 1 else 0)
    assert traffic.total < 2 * p.N * (d + 1) * m


@pytest.mark.many(2)
@pytest.mark.parametrize("P", [2, 3, 4, 6])
def test_memory_is_what_the_forms_say(P: int) -> None:
    n, d = 4, 3
    N = n * P
    p = SharedProblem(N, d, P)
    assert set(played("all-gather", p)[0].memory) == {3 * n * d + 2 * (N - n) * d + n * (d + 1)}
    if P >= 3:
        assert set(played("ring", p)[0].memory) == {8 * n * d + n}
    for R, C in ((R, P // R) for R in range(1, P + 1) if P % R == 0):
        own, rows = 3 * n * d + (C - 1) * n * d, C * n * (d + 1)
        assert set(played("grid", p, (R, C))[0].memory) == {
            own + 2 * (R - 1) * n * d + rows + (C - 1) * n * (d + 1)
        }
        visiting, returning = own + min(R - 1, 2) * 2 * n * d + rows, own + (2 * C - 1) * n * (d + 1)
        assert set(played("grid-ring", p, (R, C))[0].memory) == {max(visiting, returning)}
    for layout in ("contiguous", "zigzag", "striped"):
        assert max(played("ring", causal(N, d, P, layout))[0].memory) <= 8 * n * d + n


def test_what_does_not_apply_is_refused_with_a_reason() -> None:
    p = SharedProblem(24, 2, 6, 4, 4)
    reasons = {
        ("ulysses", ()): "4 query heads cannot be cut into 6 equal blocks",
        ("lightseq", ()): "needs the causal mask",
        ("ring-q", ()): "for the backward pass",
        ("grid", (2, 2)): "needs 4 devices, but P is 6",
        ("grid", ()): "needs a shape R x C",
        ("ring", (6,)): "needs a shape none",
        ("usp", (3, 2)): "4 query heads cannot be cut into 3",
    }
    for (name, shape), reason in reasons.items():
        with pytest.raises(InvalidInput, match=reason):
            distributed_schedule(name).exchange(p, shape)
    with pytest.raises(InvalidInput, match="m odd"):
        distributed_schedule("triangle").exchange(causal(20, 1, 10, "contiguous"))
    with pytest.raises(InvalidInput, match="contiguous layout, not striped"):
        distributed_schedule("lightseq").exchange(causal(20, 1, 10, "striped"))


def test_shapes_are_all_products_of_devices() -> None:
    p = SharedProblem(48, 2, 12, 4, 2)
    assert distributed_schedule("usp").shapes(p) == [(2, 6), (4, 3)]
    assert all(prod(shape) == 12 for shape in distributed_schedule("heads-grid").shapes(p))
    assert len(distributed_schedule("grid").shapes(p)) == 6
