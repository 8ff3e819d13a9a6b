"""Lagrange multipliers of B4 for a box: the solutions of many small convex problems at once."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.backward_rows import B4Row
from pebble.lower_bounds.certified.backward_work import BackwardSearch
from pebble.lower_bounds.certified.branch_and_bound import Reals


class ConvexProblems(NamedTuple):
    """Problems in the same v variables x: least cost·x with linear·(x, 1) > 0 and 4·u·w > r² for each cone.

    Parameters
    ----------
    cost : ndarray, shape (n, v)
        One row a problem.
    linear : ndarray, shape (m, v + 1)
        The half-spaces, the same for all problems; the constants come last.
    u, w, r : ndarray, shape (n, c, v + 1)
        The cones: 4·u·w > r² and u, w > 0, each of the three being linear in (x, 1).
    """

    cost: Reals
    linear: Reals
    u: Reals
    w: Reals
    r: Reals

    @property
    def parameter(self) -> int:
        """How far the cost of a centre is from the least, times the weight of the cost."""
        return len(self.linear) + 2 * int(self.u.shape[1])


class _Slack(NamedTuple):
    linear: Reals
    u: Reals
    w: Reals
    r: Reals

    @property
    def cone(self) -> Reals:
        return 4 * self.u * self.w - self.r**2


def _slack(problems: ConvexProblems, points: Reals) -> _Slack:
    linear = points @ problems.linear[:, :-1].T + problems.linear[:, -1]
    return _Slack(linear, *(_at(part, points) for part in (problems.u, problems.w, problems.r)))


def _at(part: Reals, points: Reals) -> Reals:
    values: Reals = (part[..., :-1] @ points[..., None])[..., 0] + part[..., -1]
    return values


def _merit(problems: ConvexProblems, points: Reals, weight: Reals) -> Reals:
    """Weight times cost, plus the logarithmic barrier; inf outside."""
    slack = _slack(problems, points)
    inside = [(part > 0).all(axis=1) for part in (slack.linear, slack.u, slack.w, slack.cone)]
    cost = weight * (problems.cost * points).sum(axis=1)
    merit = cost - np.log(slack.linear).sum(axis=1) - np.log(slack.cone).sum(axis=1)
    return np.where(np.logical_and.reduce(inside), merit, np.inf)


def inside(problems: ConvexProblems, points: Reals) -> NDArray[np.bool_]:
    """Tell which points are inside all half-spaces and cones."""
    with np.errstate(all="ignore"):
        return np.isfinite(_merit(problems, points, np.ones(len(points))))


def _direction(problems: ConvexProblems, points: Reals, weight: Reals) -> Reals:
    """Newton's direction for the merit."""
    slack, linear = _slack(problems, points), problems.linear[:, :-1]
    u, w, r = (part[..., :-1] for part in (problems.u, problems.w, problems.r))
    of_u, of_w, of_r, cone = (part[..., None] for part in (slack.u, slack.w, slack.r, slack.cone))
    along = (4 * (of_w * u + of_u * w) - 2 * of_r * r) / cone
    gradient = weight[:, None] * problems.cost - (1 / slack.linear) @ linear - along.sum(axis=1)
    planes = linear / slack.linear[..., None]
    sums, others = (u + w) / np.sqrt(cone), np.concatenate([u - w, r], axis=1)
    others *= np.sqrt(2 / np.concatenate([cone, cone], axis=1))
    convex = np.concatenate([planes, along, others], axis=1)
    hessian = convex.transpose(0, 2, 1) @ convex - 2 * (sums.transpose(0, 2, 1) @ sums)
    scale = np.sqrt(np.einsum("nvv->nv", hessian))
    scaled = hessian / (scale[:, :, None] * scale[:, None, :]) + 1e-10 * np.eye(scale.shape[1])
    right = (gradient / scale)[..., None]
    lost = ~(
        np.isfinite(scaled).all(axis=(1, 2)) & (np.abs(np.linalg.det(np.nan_to_num(scaled))) > 0)
    )  # no direction
    scaled[lost], right[lost] = np.eye(scale.shape[1]), 0.0
    solved = np.linalg.solve(scaled, right)
    direction: Reals = -solved[..., 0] / scale
    return direction


def improved(problems: ConvexProblems, points: Reals, weight: Reals, steps: int) -> Reals:
    """Take Newton steps towards the centres, where weight·cost plus the barrier is least.

    Parameters
    ----------
    problems : ConvexProblems
    points : ndarray, shape (n, v)
        Inside all half-spaces and cones.
    weight : ndarray, shape (n,)
        The larger, the nearer to the least cost the centre is, and the more steps it takes to get there.
    steps : int

    Returns
    -------
    ndarray, shape (n, v)
    """
    with np.errstate(all="ignore"):
        merit = _merit(problems, points, weight)
        for _ in range(steps):
            direction, size = _direction(problems, points, weight), 1.0
            moving = np.ones(len(points), bool)
            for _ in range(8):
                trial = points + size * direction
                at = _merit(problems, trial, weight)
                better = moving & (at < merit)
                points, merit = np.where(better[:, None], trial, points), np.where(better, at, merit)
                moving &= ~better
                size /= 2
                if not moving.any():
                    break
    return points


_Terms: TypeAlias = dict[str, Any]

# What the variables stand for: λ, λt; a₁, a₂ and A; φ_K and the prices of the members of E(K), the third one in two
# parts; the same for dQ; σ_S, (1 − σ_S)θ, L_p; σ_P, L_r; and the cost of the root of S.
_NAMES = (
    *("price", "held", "by_q", "by_k", "of_V"),
    *("fK", "K_p", "K_r", "K_k", "K_v", "fQ", "Q_p", "Q_r", "Q_k", "Q_v"),
    *("capped_S", "whole", "left_p", "capped_dP", "left_r", "root"),
)
_INDEX = {name: index for index, name in enumerate((*_NAMES, "one"))}
_K, _Q = ("K_p", "K_r", "K_k", "K_v"), ("Q_p", "Q_r", "Q_k", "Q_v")
_SHARES = ("by_q", "by_k", "fK", "fQ", "capped_S", "whole", "capped_dP")
_GAPS = (0.06, 0.012, 0.002)
_CENTRE_GAP = 0.3  # from here the halves of a box go on


def _form(terms: _Terms) -> Reals:
    """Return the coefficients of linear forms, shape (22, n), or (22, 1) if all are numbers."""
    form = np.zeros((len(_INDEX), max(map(np.size, terms.values()))))
    for name, value in terms.items():
        form[_INDEX[name]] = value
    return form


class B4Multipliers:
    """The convex problems of boxes for one row, of which costs are compared with W."""

    def __init__(self, search: BackwardSearch[B4Row]) -> None:
        self._search, self._weights, self._W = search, search.weights, float(search.row.W)
        self._linear = self._half_spaces()

    def _half_spaces(self) -> Reals:
        """Conditions that are the same for every box."""
        w, search = self._weights, self._search
        begun_S = search.begun_S if w.S > 0 else 1.0
        begun_dP = search.begun_dP if w.dP > 0 else 1.0
        K1, Q1 = w.dK**2, w.dQ**2
        of_E_by_p: _Terms = {
            **dict.fromkeys(("K_p", "K_k", "K_v"), -K1),
            **dict.fromkeys(("Q_p", "Q_k", "Q_v"), -Q1),
            "fK": -w.dK,
            "fQ": -w.dQ,
        }

        def of_p(price: str, V: float) -> _Terms:
            own = {price: 1.0, "of_V": -V * V, "by_q": -V, "by_k": -V, "capped_S": -w.S, "left_p": -1.0}
            return own | of_E_by_p

        def of_E(price: str, K: float, Q: float, without: tuple[str, ...]) -> _Terms:
            pairs: _Terms = dict.fromkeys(_K, -K * K) | dict.fromkeys(_Q, -Q * Q)
            kept = {name: value for name, value in pairs.items() if name not in without}
            return {price: 1.0, "fK": -K, "fQ": -Q} | kept

        r: _Terms = {"capped_dP": -w.dP, "left_r": -1.0}
        by_p = ("K_p", "Q_p")
        conditions: list[_Terms] = [
            {"held": 1.0, "price": -1.0},
            {"price": 2.0, "held": -1.0},
            {"one": 1.0, "capped_S": -1.0, "whole": -1.0},
            {"one": 1.0, "by_q": -1.0, "by_k": -1.0},
            {"one": 1.0, "capped_dP": -1.0},
            {"one": 1.0, "fK": -1.0},
            {"one": 1.0, "fQ": -1.0},
            {"price": begun_S, "capped_S": -w.S, "left_p": -1.0},
            of_p("price", w.dV_stored),
            of_p("held", w.dV),
            {"price": begun_dP} | r,
            of_E("price", w.dK_stored, w.dQ_stored, by_p) | r,
            of_E("held", w.dK, w.dQ, by_p) | r,
            of_E("price", w.dK_stored, w.dQ_stored, ()),
            of_E("held", w.dK, w.dQ, ()),
        ]
        return np.concatenate([np.eye(len(_INDEX))[:, :-1], *map(_form, conditions)], axis=1).T

    def _problems(self, lo: Reals, hi: Reals) -> ConvexProblems:
        """Conditions at the upper corners; the cost at points that lean to where it is greatest."""
        at = lo + 0.75 * (hi - lo)
        cones, shape = self._cones(hi, at), (len(_INDEX), lo.shape[1])
        u, w, r = (
            np.stack([np.broadcast_to(_form(cone[part]), shape) for cone in cones], axis=2).transpose(1, 2, 0)
            for part in range(3)
        )
        return ConvexProblems(self._cost(lo, hi, at)[:-1].T, self._linear, u, w, r)

    def _cones(self, hi: Reals, at: Reals) -> list[tuple[_Terms, _Terms, _Terms]]:
        """Return u, w and r of the cones: for dV, dK, dQ, S and dP."""
        w, (q, k, o, _) = self._weights, hi
        root_q, root_k, root_o = np.sqrt(hi[:3])
        root, least, K1, Q1 = w.S * np.sqrt(at[0] * at[1]), np.minimum(q, o), w.dK**2, w.dQ**2
        left_v = {"price": 1.0, "K_r": -K1 * o, "K_v": -K1 * least, "Q_r": -Q1 * o, "Q_v": -Q1 * least}
        return [
            (
                {"of_V": 1.0},
                {"held": 1.0, "by_q": -w.dV * q},
                {"one": root_o, "by_q": -root_o, "by_k": -root_o},
            ),
            (dict.fromkeys(_K, 1.0), {"held": 1.0, "fK": -w.dK * least}, {"one": root_q, "fK": -root_q}),
            (dict.fromkeys(_Q, 1.0), {"held": 1.0, "fQ": -w.dQ * k}, {"one": root_k, "fQ": -root_k}),
            ({"left_p": 1.0}, {"root": 1.0}, {"one": root, "capped_S": -root, "whole": -root * at[3]}),
            ({"left_r": 1.0}, left_v, {"one": w.dP * root_o, "capped_dP": -w.dP * root_o}),
        ]

    def _cost(self, lo: Reals, hi: Reals, at: Reals) -> Reals:
        """What the multipliers bound the work by: prices times what there is for them."""
        w, search, (q, k, o, whole) = self._weights, self._search, at
        inner, both = whole**2 * q * k, np.where(hi[0] <= hi[2], q, o) * k
        budget = search.tau - (lo + 0.25 * (hi - lo))[:3].sum(axis=0)
        terms: _Terms = {
            "price": np.maximum(budget, 0.01 * search.tau) - search.mu,
            "held": search.mu,
            "whole": w.S * whole * q * k,
            "root": 1.0,
            "of_V": w.dV**2 * inner,
            "by_k": w.dV * k * o,
            **{"K_p": w.dK**2 * inner, "Q_p": w.dQ**2 * inner},
            **{"K_k": w.dK**2 * both, "Q_k": w.dQ**2 * both},
        }
        return _form(terms)

    def first(self, lo: Reals, hi: Reals) -> Reals:
        """Return a point inside the conditions of one box, shape (1, v): its price is high enough."""
        problems = self._problems(lo, hi)
        named = dict.fromkeys(_NAMES, 0.1 * self._search.tau**0.5) | dict.fromkeys(_SHARES, 0.1)
        for price in 1.4 ** np.arange(-20.0, 60.0):
            charges = {"left_p": self._search.begun_S, "left_r": self._search.begun_dP}
            named |= {"price": price, "held": 1.5 * price}
            named |= {name: 0.3 * price * charge for name, charge in charges.items()}
            point = self._with_root(problems, np.array([list(named.values())]))
            if inside(problems, point).all():
                break
        cost = (problems.cost * point).sum(axis=1)
        for part in np.geomspace(1, 1e-2, 8):
            point = improved(problems, point, problems.parameter / (cost * part), 6)
        return point

    def solve(self, lo: Reals, hi: Reals, points: Reals) -> tuple[Reals, Reals]:
        """Return points from which the halves of the boxes go on, and multipliers for these boxes.

        Parameters
        ----------
        lo, hi : ndarray, shape (4, n)
            Corners of the boxes.
        points : ndarray, shape (n, v)
            Inside the conditions of boxes that hold these.

        Returns
        -------
        ndarray, shape (n, v), and ndarray, shape (16, n)
        """
        problems = self._problems(lo, hi)
        enough = problems.parameter / self._W
        start = self._with_root(problems, points)
        centres = improved(problems, start, np.full(len(points), enough / _CENTRE_GAP), 4)
        best = centres
        for gap in _GAPS:
            best = improved(problems, best, np.full(len(points), enough / gap), 3)
        return centres, self._multipliers(hi, best)

    def _with_root(self, problems: ConvexProblems, points: Reals) -> Reals:
        """Return the points with a cost of the root of S that leaves room in its cone."""
        points = points.copy()
        needed = (problems.r[:, 3, :-1] * points).sum(axis=1) + problems.r[:, 3, -1]
        points[:, _INDEX["root"]] = 1.3 * needed**2 / (4 * points[:, _INDEX["left_p"]]) + 0.01 * self._W
        return points

    def _multipliers(self, hi: Reals, points: Reals) -> Reals:
        """Return the price and the shares of ``BackwardShares``, then θ, shape (16, n)."""
        x = dict(zip(_NAMES, points.T, strict=True))
        shares = []
        for of_p, of_r, of_k, of_v in (_K, _Q):
            both = x[of_k] + x[of_v]
            total = x[of_p] + x[of_r] + both
            shares += [both / total, x[of_p] / total, x[of_v] / both]
        mix = (hi[0] <= hi[2]).astype(float)
        scarce, together = x["held"] / x["price"] - 1, x["whole"] / (1 - x["capped_S"])
        direct = (x[name] for name in ("by_q", "by_k", "fK", "fQ"))
        return np.stack([x["price"], scarce, *direct, *shares, mix, x["capped_S"], x["capped_dP"], together])
