"""What the devices compute with what they hold is attention, and its gradient."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.computations.registry import reference_outputs
from pebble.program.parallel import LAYOUTS, SharedProblem, distributed_schedule, distributed_schedules, play
from pebble.program.parallel.numbers import evaluate_exchange, random_attention
from tests.support.plain_attention import attention


def test_random_attention_is_attention() -> None:
    p = SharedProblem(5, 3, 1, 4, 2, causal=True, dv=2)
    inputs, outputs = random_attention(p)
    Q, K, V, dO = (inputs[name] for name in ("Q", "K", "V", "dO"))
    scale, allowed = np.sqrt(p.d), np.tri(p.N, dtype=bool)
    found = []
    for head in range(p.heads):
        shared = Q[head] * scale, K[head // 2], V[head // 2]
        O, l = attention(*shared, allowed)
        np.testing.assert_allclose(outputs["O"][head], O)
        np.testing.assert_allclose(inputs["D"][head], (dO[head] * O).sum(axis=1))
        np.testing.assert_allclose(inputs["l"][head], l)
        one = dict(zip("QKV", shared, strict=True)) | {"dO": dO[head], "O": O, "l": l}
        found.append(
            reference_outputs(Problem.square(p.N, p.d, p.dv, pass_name="backward", mask="causal"), one)
        )
        np.testing.assert_allclose(outputs["dQ"][head], found[-1]["dQ"] * scale, atol=1e-12)
    for name in ("dK", "dV"):
        np.testing.assert_allclose(outputs[name][0], found[0][name] + found[1][name], atol=1e-12)


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
    inputs, expected = random_attention(p, seed)
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
    inputs, expected = random_attention(p)
    for name in ("decode", "decode-tree"):
        schedule = distributed_schedule(name)
        exchange = schedule.exchange(p)
        traffic, form = play(exchange), schedule.closed_form(p)
        assert (traffic.received, traffic.rounds) == (form.received, form.rounds)
        found = evaluate_exchange(exchange, inputs)["O"]
        np.testing.assert_allclose(found, expected["O"])


def test_missing_inputs_are_named() -> None:
    exchange = distributed_schedules("forward")[0].exchange(SharedProblem(4, 1, 2))
    with pytest.raises(InvalidInput, match="the inputs K, V are missing"):
        evaluate_exchange(exchange, {"Q": np.zeros((1, 4, 1))})
