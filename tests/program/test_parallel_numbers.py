"""What the devices compute with what they hold is attention, and its gradient."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.program.parallel import LAYOUTS, SharedProblem, distributed_schedule, distributed_schedules, play
from pebble.program.parallel.numbers import evaluate_exchange

Values = NDArray[np.float64]


def attention(p: SharedProblem, seed: int) -> tuple[dict[str, Values], dict[str, Values]]:
    """Random inputs, and the outputs by the plain formulas."""
    chance = np.random.default_rng(seed)
    Q = chance.normal(size=(p.heads, p.N, p.d))
    K, V = (chance.normal(size=(p.kv_heads, p.N, width)) for width in (p.d, p.width))
    dO = chance.normal(size=(p.heads, p.N, p.width))
    keys, values = (np.repeat(rows, p.group, axis=0) for rows in (K, V))
    weights = np.exp(Q @ keys.transpose(0, 2, 1)) * (np.tri(p.N) if p.causal else 1)
    l = weights.sum(axis=2)
    P = weights / l[..., None]
    O = P @ values
    D = (dO * O).sum(axis=2)
    dS = P * (dO @ values.transpose(0, 2, 1) - D[..., None])
    dK, dV = dS.transpose(0, 2, 1) @ Q, P.transpose(0, 2, 1) @ dO
    dK, dV = (rows.reshape(p.kv_heads, p.group, *rows.shape[1:]).sum(axis=1) for rows in (dK, dV))
    return {"Q": Q, "K": K, "V": V, "dO": dO, "l": l, "D": D}, {"O": O, "dQ": dS @ keys, "dK": dK, "dV": dV}


@pytest.mark.parametrize("seed", range(6))
def test_devices_compute_attention(seed: int) -> None:
    chance = random.Random(seed)
    P, kv_heads = chance.choice((2, 3, 4, 6)), chance.choice((1, 2, 4))
    p = SharedProblem(
        chance.randint(2 * P, 3 * P),
        2,
        P,
        kv_heads * chance.choice((1, 2, 3)),
        kv_heads,
        causal=seed % 2 == 0,
        pass_name=("forward", "backward")[seed // 2 % 2],
        layout=chance.choice(LAYOUTS),
        dv=chance.choice((None, 3)),
    )
    inputs, expected = attention(p, seed)
    for schedule in distributed_schedules(p.pass_name):
        try:
            shape = chance.choice(schedule.shapes(p))
        except InvalidInput:
            continue
        exchange = schedule.exchange(p, shape, chance.choice(("all", "needed")))
        for name, found in evaluate_exchange(exchange, inputs).items():
            np.testing.assert_allclose(found, expected[name], rtol=1e-9, err_msg=f"{schedule} {shape}")


@pytest.mark.parametrize("P", [1, 3, 8])
def test_queries_are_decoded(P: int) -> None:
    p = SharedProblem(2 * P + 1, 2, P, 4, 2, queries_decoded=3)
    inputs, _ = attention(p, P)
    inputs["Q"] = inputs["Q"][:, :3] if P > 1 else inputs["Q"]
    keys, values = (np.repeat(inputs[name], 2, axis=0) for name in "KV")
    weights = np.exp(inputs["Q"] @ keys.transpose(0, 2, 1))
    for name in ("decode", "decode-tree"):
        schedule = distributed_schedule(name)
        exchange = schedule.exchange(p)
        traffic, form = play(exchange), schedule.closed_form(p)
        assert (traffic.received, traffic.rounds) == (form.received, form.rounds)
        found = evaluate_exchange(exchange, inputs)["O"]
        np.testing.assert_allclose(found, weights @ values / weights.sum(axis=2, keepdims=True))


def test_missing_inputs_are_named() -> None:
    exchange = distributed_schedules("forward")[0].exchange(SharedProblem(4, 1, 2))
    with pytest.raises(InvalidInput, match="the inputs K, V are missing"):
        evaluate_exchange(exchange, {"Q": np.zeros((1, 4, 1))})
