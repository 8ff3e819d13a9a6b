"""Counting what a program moves, and verifying that it is legal."""
