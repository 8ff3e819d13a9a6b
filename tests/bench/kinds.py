"""Which graphs of the known kinds are scheduled beside the best orders known."""

from __future__ import annotations

from collections.abc import Callable

from pebble.graph.dag import Dag
from tests.solvers.heuristic.known_kinds import (
    Places,
    attention,
    attention_backward,
    cholesky,
    convolution,
    convolution_on_a_line,
    fft,
    layered,
    lu,
    matmul,
    sparse,
    stencil,
    triangular_solve,
)

__all__ = ["KINDS", "OTHER_KINDS"]

Memories = tuple[int, int, int]

KINDS: dict[str, tuple[Callable[[Places], Dag], Memories]] = {
    "matmul 4x16x64": (lambda places: matmul(4, 16, 64, places), (16, 32, 64)),
    "matmul 40x3x20": (lambda places: matmul(40, 3, 20, places), (16, 32, 64)),
    "matmul 2x2x200": (lambda places: matmul(2, 2, 200, places), (8, 16, 32)),
    "matmul 13x11x12": (lambda places: matmul(13, 11, 12, places), (16, 32, 64)),
    "convolution 100, 9 wide": (lambda places: convolution_on_a_line(100, 1, 1, 9, places), (8, 16, 32)),
    "convolution 60, 4 to 4": (lambda places: convolution_on_a_line(60, 4, 4, 5, places), (16, 32, 64)),
    "convolution 10x10, 2 to 4": (lambda places: convolution(10, 2, 4, 3, places), (16, 32, 64)),
    "convolution 14x14, 1 to 1": (lambda places: convolution(14, 1, 1, 3, places), (16, 32, 64)),
    "convolution 9x9, 3 to 3": (lambda places: convolution(9, 3, 3, 3, places), (16, 32, 64)),
    "stencil 100, 20 steps": (lambda places: stencil(20, 100, places=places), (8, 16, 32)),
    "stencil 60, shrinking": (lambda places: stencil(20, 60, shrinking=True, places=places), (8, 16, 32)),
    "stencil 12x12, 8 steps": (lambda places: stencil(8, 12, 12, places=places), (32, 64, 128)),
    "stencil 20x20, shrinking": (
        lambda places: stencil(6, 20, 20, shrinking=True, places=places),
        (32, 64, 128),
    ),
    "9 points, 12x12, 8 steps": (lambda places: stencil(8, 12, 12, box=True, places=places), (32, 64, 128)),
    "9 points, shrinking": (
        lambda places: stencil(6, 18, 18, box=True, shrinking=True, places=places),
        (32, 64, 128),
    ),
    "cholesky 21": (lambda places: cholesky(21, places), (16, 32, 64)),
    "lu 16": (lambda places: lu(16, places), (16, 32, 64)),
    "trsm 11x23": (lambda places: triangular_solve(11, 23, places), (16, 32, 64)),
    "attention 12x4": (lambda places: attention(12, 4, places=places), (16, 32, 64)),
    "attention 10x6, products": (lambda places: attention(10, 6, False, places), (16, 32, 64)),
    "backward 10x4": (lambda places: attention_backward(10, 4, places), (16, 32, 64)),
    "backward 12x6": (lambda places: attention_backward(12, 6, places), (32, 64, 128)),
}
"""Graphs with three sizes of memory each; a function fills a list with the true coordinates."""

OTHER_KINDS: dict[str, tuple[Dag, Memories]] = {
    "fft 256": (fft(256), (16, 32, 64)),
    "spmv 200": (sparse(200, 6), (16, 32, 64)),
    "layered 40x20": (layered(40, 20, 3), (16, 32, 64)),
}
"""Graphs without coordinates that a person would tile."""
