"""Lower bounds of loop nests, their constants derived from the access maps; docs/bounds-nests.md proves them."""
