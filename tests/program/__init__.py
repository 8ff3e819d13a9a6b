"""Tests of the program language and its readings."""
