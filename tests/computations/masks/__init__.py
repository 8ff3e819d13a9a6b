"""Tests of masks."""
