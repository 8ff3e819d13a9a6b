"""Computations under a mask: the family of arrays, and the machine that runs programs on it."""

__all__: list[str] = []
