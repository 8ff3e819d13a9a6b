"""Computations given as loop nests: assignments with affine indices, read from text or Python."""
