"""Exchanges of the states of linear attention: closed forms, and what the referee refuses."""

from __future__ import annotations

import pytest

from pebble.common.errors import InvalidInput, Violation
from pebble.program.parallel.states import STATE_SCHEDULES, check_states, play_states


@pytest.mark.parametrize("P", [1, 2, 3, 4, 7, 8, 9, 31, 32])
def test_closed_forms(P: int) -> None:
    log = (P - 1).bit_length()
    found = {name: check_states(name, P) for name in STATE_SCHEDULES}
    assert max(found["lasp-2"].received) == P - 1
    assert found["lasp"].received == (0, *[1] * (P - 1))
    assert (max(found["scan"].received), found["scan"].rounds) == (log, log)
    assert sum(found["scan"].received) == sum(P - 2**k for k in range(log))


@pytest.mark.parametrize("name", list(STATE_SCHEDULES))
def test_a_transfer_left_out_or_from_the_wrong_device_is_refused(name: str) -> None:
    rounds = STATE_SCHEDULES[name][1](6)
    for number, transfers in enumerate(rounds):
        for place, (device, source, first, last) in enumerate(transfers):
            if first >= device:
                continue  # an all-gather sends more than a causal mask needs
            left = [*rounds[:number], transfers[:place] + transfers[place + 1 :], *rounds[number + 1 :]]
            with pytest.raises(Violation):
                play_states(6, left)
            wrong = [*transfers[:place], (device, (source + 3) % 6, first, last), *transfers[place + 1 :]]
            with pytest.raises(Violation):
                play_states(6, [*rounds[:number], wrong, *rounds[number + 1 :]])


def test_unknown_schedules_are_refused() -> None:
    with pytest.raises(InvalidInput, match="known: lasp-2, lasp, scan"):
        check_states("ring", 3)
