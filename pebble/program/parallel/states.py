"""Linear attention on several devices: each has the state of its own tokens, and needs that of all tokens before them.

A state is the sum of the outer products of keys and values, d·dv words a head. Sums of states of neighbouring devices
are what travels; a referee keeps for each device which sums it holds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pebble.common.errors import InvalidInput, PebbleError, Violation
from pebble.program.parallel.traffic import ExchangeTraffic, TrafficTally

StateRound = list[tuple[int, int, int, int]]
"""What is received in one round: by whom, from whom, and the sum of which states: the first, and past the last."""


def play_states(P: int, rounds: list[StateRound]) -> ExchangeTraffic:
    """Play an exchange of states under a causal mask, and count in states; a state has d·dv words for each head.

    Raises
    ------
    Violation
        If a device is to send a sum that it cannot make of what it holds without counting a device twice, or in the end
        cannot make that of all devices before it.

    Examples
    --------
    >>> play_states(3, [[(1, 0, 0, 1)], [(2, 1, 0, 2)]]).received
    (0, 1, 1)
    >>> play_states(3, [[(2, 1, 0, 2)]])
    Traceback (most recent call last):
    ...
    pebble.common.errors.Violation: round 0: device 1 cannot make the sum of the states 0 to 1
    """
    held: list[dict[int, set[int]]] = [{device: {device + 1}} for device in range(P)]
    tally = TrafficTally(P)
    for number, transfers in enumerate(rounds):
        for _, source, first, last in transfers:
            if not _can_make(held[source], first, last):
                raise Violation(
                    f"round {number}: device {source} cannot make the sum of the states {first} to {last - 1}",
                    "receive-needs-held",
                )
        for device, _, first, last in transfers:
            held[device].setdefault(first, set()).add(last)
        columns = np.array(transfers, np.int64).reshape(-1, 4)
        tally.exchanged(columns[:, 0], columns[:, 1], np.ones(len(columns), np.int64))
    for device in range(1, P):
        if not _can_make(held[device], 0, device):
            raise Violation(
                f"device {device} cannot make the state of all tokens before its own", "term-left-out"
            )
    return tally.traffic(heads=1)


def _can_make(held: dict[int, set[int]], first: int, last: int) -> bool:
    """Tell whether sums of neighbouring devices put together are that from first to last."""
    if last in held.get(first, ()):
        return True
    reached = {first}
    ends = [first]
    while ends:
        for end in held.get(ends.pop(), ()):
            if end == last:
                return True
            if end < last and end not in reached:
                reached.add(end)
                ends.append(end)
    return False


def _all_gather(P: int) -> list[StateRound]:
    """All states to all devices at once."""
    return [[(p, s, s, s + 1) for p in range(P) for s in range(P) if s != p]] if P > 1 else []


def _ring(P: int) -> list[StateRound]:
    """The state of all tokens so far, from each device to the next."""
    return [[(p, p - 1, 0, p)] for p in range(1, P)]


def _scan(P: int) -> list[StateRound]:
    """In round k from 2ᵏ devices before, the sum of up to 2ᵏ states that end there."""
    rounds, step = [], 1
    while step < P:
        rounds.append([(p, p - step, max(0, p - 2 * step + 1), p - step + 1) for p in range(step, P)])
        step *= 2
    return rounds


STATE_SCHEDULES: dict[
    str, tuple[str, Callable[[int], list[StateRound]], Callable[[int], tuple[int, int]]]
] = {
    "lasp-2": ("all-gather of the states", _all_gather, lambda P: (P - 1, min(P - 1, 1))),
    "lasp": ("the state goes from device to device", _ring, lambda P: (min(P - 1, 1), P - 1)),
    "scan": (
        "sums of states over distances 1, 2, 4, …",
        _scan,
        lambda P: ((P - 1).bit_length(), (P - 1).bit_length()),
    ),
}
"""By name: what it does, its rounds for P devices, and its closed form: the most states received, and the rounds."""


def check_states(name: str, P: int) -> ExchangeTraffic:
    """Play a schedule of states for P devices and hold its counts to the closed form.

    Examples
    --------
    >>> max(check_states("scan", 16).received), check_states("lasp", 16).rounds
    (4, 15)
    """
    if name not in STATE_SCHEDULES:
        raise InvalidInput(f"unknown schedule of states {name!r}; known: {', '.join(STATE_SCHEDULES)}")
    _, rounds, form = STATE_SCHEDULES[name]
    traffic = play_states(P, rounds(P))
    if form(P) != (max(traffic.received), traffic.rounds):
        raise PebbleError(f"{name}: the closed form and the referee do not agree; please report this")
    return traffic
