"""Lower bounds of loop nests, their constants derived from the access maps; docs/proofs/nests.md proves them."""
