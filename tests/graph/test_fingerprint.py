"""The hash of a DAG is what its definition says."""

from __future__ import annotations

import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.graph.fingerprint import dag_hash
from tests.support.random_dags import dags


def written_out(dag: Dag) -> bytes:
    lines = ["pebble-dag 1", f"{dag.n_vertices} {dag.n_edges}"]
    for v in range(dag.n_vertices):
        lines += [f"{p} {v}" for p in sorted(map(int, dag.predecessors_of(v)))]
    lines.append("outputs " + " ".join(str(v) for v in sorted(map(int, dag.outputs))))
    return ("\n".join(lines) + "\n").encode()


@given(dag=dags(), seed=st.integers(0, 99))
def test_the_hash_is_what_its_definition_says(dag: Dag, seed: int) -> None:
    assert dag_hash(dag) == hashlib.sha256(written_out(dag)).hexdigest()
    edges = np.array([(p, v) for v in range(dag.n_vertices) for p in dag.predecessors_of(v)]).reshape(-1, 2)
    shuffled = np.random.default_rng(seed).permutation(edges.astype(np.int64))
    same = Dag.from_edges(
        shuffled, dag.n_vertices, [f"n{v}" for v in range(dag.n_vertices)], dag.outputs, "other"
    )
    assert dag_hash(same) == dag_hash(dag)


def test_the_hash_of_many_vertices_is_taken_in_pieces() -> None:
    dag = load_dag("fft:4096")
    assert dag_hash(dag) == hashlib.sha256(written_out(dag)).hexdigest()
