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
    lu,
    matmul,
    stencil,
    triangular_solve,
)

__all__ = ["KINDS"]

Memories = tuple[int, ...]

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
    "large matmul 24x24x24": (lambda places: matmul(24, 24, 24, places), (64,)),
    "large matmul 8x40x60": (lambda places: matmul(8, 40, 60, places), (100,)),
    "large convolution 16x16, 3 to 4": (lambda places: convolution(16, 3, 4, 3, places), (64,)),
    "large convolution 21x21, 3 to 6, stride 2": (
        lambda places: convolution(21, 3, 6, 3, places, stride=2),
        (48,),
    ),
    "large convolution 300, 4 to 4": (lambda places: convolution_on_a_line(300, 4, 4, 5, places), (32,)),
    "large stencil 300, 40 steps": (lambda places: stencil(40, 300, places=places), (32,)),
    "large 5 points on a line, 200, 40 steps": (
        lambda places: stencil(40, 200, box=True, radius=2, places=places),
        (48,),
    ),
    "large stencil 24x24, 20 steps": (lambda places: stencil(20, 24, 24, places=places), (150,)),
    "large 9 points, 24x24, 20 steps": (lambda places: stencil(20, 24, 24, box=True, places=places), (150,)),
    "large 9 points, 36x36, shrinking": (
        lambda places: stencil(10, 36, 36, box=True, shrinking=True, places=places),
        (150,),
    ),
    "large cholesky 36": (lambda places: cholesky(36, places), (64,)),
    "large lu 28": (lambda places: lu(28, places), (64,)),
    "large trsm 30x20": (lambda places: triangular_solve(30, 20, places), (64,)),
    "large attention 24x8, products": (lambda places: attention(24, 8, False, places), (100,)),
    "large attention 40x6": (lambda places: attention(40, 6, places=places), (64,)),
    "large backward 18x6": (lambda places: attention_backward(18, 6, places), (100,)),
}
"""Graphs with sizes of memory; a function fills a list with the true coordinates."""
