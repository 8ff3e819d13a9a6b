"""Tests; a package, so that they can share reference models and strategies."""
