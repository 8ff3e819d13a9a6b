"""The picture of the README: words moved against words of fast memory, counted when it is drawn."""

from __future__ import annotations

import math
from pathlib import Path

from pebble import Problem, count

__all__ = ["NAME", "svg", "write"]

NAME = "traffic.svg"
_N, _D = 65_536, 64
_EXPONENTS = [step / 2 for step in range(-8, 13)]
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 560, 42, 340
_WIDTH, _HEIGHT = 720, 392
_LOW, _HIGH = 1 / 16, 64.0
_CURVES = {"square-tile": "scores written out", "flash-2": "FlashAttention-2", "best": "best known"}

_STYLE = """
  svg { background: #ffffff }
  text { font: 14px system-ui, sans-serif; fill: #1f2328 }
  .grid { stroke: #d5d9de; stroke-width: 1 }
  .divide { stroke: #1f2328; stroke-width: 1; stroke-dasharray: 4 4 }
  .curve { fill: none; stroke-width: 2.5; stroke-linejoin: round }
  .square-tile { --own: #b35900 } .flash-2 { --own: #0b63c5 } .best { --own: #1a7f37 }
  .curve { stroke: var(--own) } text[class] { fill: var(--own); font-weight: 600 }
  .curve.best { stroke-width: 7; opacity: 0.6 }
  .bound { fill: #8c959f; opacity: 0.45 }
  @media (prefers-color-scheme: dark) {
    svg { background: #14181d }
    text { fill: #e6edf3 }
    .grid { stroke: #343b44 } .divide { stroke: #e6edf3 }
    .square-tile { --own: #f0a050 } .flash-2 { --own: #6cb6ff } .best { --own: #57d364 }
    .bound { fill: #6e7681 }
  }
"""


def write(folder: Path) -> None:
    """Write the picture, unless it is there already as it should be."""
    path, text = folder / NAME, svg()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        folder.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def svg() -> str:
    """Count, and draw what was counted."""
    curves, bound = _counted()
    area = [*bound, (_EXPONENTS[-1], _LOW), (_EXPONENTS[0], _LOW)]
    parts = [
        _grid(),
        f'<polygon class="bound" points="{_points(area)}"/>',
        *(f'<polyline class="curve {name}" points="{_points(curves[name])}"/>' for name in reversed(_CURVES)),
        _labels(curves, bound),
    ]
    title = (
        f"Words moved by attention for each pair of a query and a key, against words of fast memory; "
        f"N = {_N:,}, d = {_D}. Below d² words it is cheaper to write the scores out, above it FlashAttention is, "
        f"and it comes close to the proved lower bound."
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-labelledby="title">\n<title id="title">{title}</title>\n<style>{_STYLE}</style>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _counted() -> tuple[dict[str, list[tuple[float, float]]], list[tuple[float, float]]]:
    """Return for each curve, and for the bound, log₂(M/d²) with the words for each pair."""
    curves: dict[str, list[tuple[float, float]]] = {name: [] for name in _CURVES}
    bound = []
    for exponent in _EXPONENTS:
        report = count(Problem.square(_N, _D), round(_D * _D * 2**exponent), list(_CURVES))
        bound.append((exponent, report.bounds.best.value / _N**2))
        for row in report.rows:
            if row.io is not None:
                curves[row.name].append((exponent, row.io / _N**2))
    return curves, bound


def _x(exponent: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * (exponent - _EXPONENTS[0]) / (_EXPONENTS[-1] - _EXPONENTS[0])


def _y(words: float) -> float:
    inside = min(max(words, _LOW), _HIGH)
    return _BOTTOM - (_BOTTOM - _TOP) * math.log2(inside / _LOW) / math.log2(_HIGH / _LOW)


def _points(curve: list[tuple[float, float]]) -> str:
    """Return the corners of a curve, from where it enters the picture."""
    first = max((at for at, (_, words) in enumerate(curve) if words > _HIGH), default=0)
    inside = curve[first:]
    if inside[0][1] > _HIGH:
        (x0, y0), (x1, y1) = inside[:2]
        part = math.log(_HIGH / y0) / math.log(y1 / y0)
        inside = [(x0 + part * (x1 - x0), _HIGH), *inside[1:]]
    return " ".join(f"{_x(exponent):.1f},{_y(words):.1f}" for exponent, words in inside)


def _grid() -> str:
    lines = [_text(_LEFT, 22, "words moved for each pair of a query and a key")]
    for power in range(-4, 7, 2):
        y = _y(2.0**power)
        label = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        lines.append(f'<line class="grid" x1="{_LEFT}" x2="{_RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(_text(_LEFT - 8, y + 4, label, "end"))
    for power in range(-4, 7, 2):
        label = "d²" if power == 0 else f"{2**power}·d²" if power > 0 else f"d²/{2**-power}"
        lines.append(_text(_x(power), _BOTTOM + 20, label, "middle"))
    lines.append(_text((_LEFT + _RIGHT) / 2, _BOTTOM + 42, "words of fast memory, M", "middle"))
    x = f"{_x(0):.1f}"
    lines.append(f'<line class="divide" x1="{x}" x2="{x}" y1="{_TOP}" y2="{_BOTTOM}"/>')
    return "\n".join(lines)


def _labels(curves: dict[str, list[tuple[float, float]]], bound: list[tuple[float, float]]) -> str:
    last = _EXPONENTS[-1]
    x = _x(last) + 8
    shown = {name: dict(curves[name])[last] for name in ("square-tile", "flash-2")}
    lines = [_text(x, _y(shown[name]) + 4, _CURVES[name], kind=name) for name in shown]
    lines.append(_text(_x(2.5), _y(dict(curves["best"])[2.0]), "best known", kind="best"))
    lines.append(_text(_x(-3.7), _y(dict(bound)[0.0] / 4), "proved: out of reach"))
    return "\n".join(lines)


def _text(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> str:
    own = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{own}>{words}</text>'
