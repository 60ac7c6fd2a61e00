"""The maximum matching, with scipy as the oracle."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajectory.matching.assignment import UNPAIRED, maximum_matching

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

    Graph = tuple[list[list[int]], int]


@st.composite
def graphs(draw: DrawFn) -> Graph:
    right = draw(st.integers(0, 7))
    edges = st.lists(st.integers(0, right - 1), unique=True, max_size=right) if right else st.just([])
    return draw(st.lists(edges, max_size=7)), right


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_it_is_a_matching_and_as_large_as_scipys(graph: Graph) -> None:
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    csr_matrix = pytest.importorskip("scipy.sparse").csr_matrix
    neighbours, right = graph
    pairs = maximum_matching(neighbours, right)
    made = [(left, node) for left, node in enumerate(pairs) if node != UNPAIRED]
    assert all(node in neighbours[left] for left, node in made)
    assert len({node for _, node in made}) == len(made)
    if not (neighbours and right):
        assert not made
        return
    matrix = csr_matrix([[int(node in edges) for node in range(right)] for edges in neighbours])
    assert len(made) == sum(node >= 0 for node in csgraph.maximum_bipartite_matching(matrix, perm_type="column"))
    assert pairs == maximum_matching(neighbours, right)


def test_a_greedy_choice_is_undone() -> None:
    assert maximum_matching([[0, 1], [0]], 2) == [1, 0]


def test_a_long_augmenting_path_takes_no_recursion() -> None:
    size = 20_000
    chain = [[left, left + 1] if left + 1 < size else [left] for left in range(size)]
    assert maximum_matching([*chain[:-1], [0]], size) == [*range(1, size), 0]


def test_a_dense_graph_is_quick() -> None:
    size = 600
    start = time.process_time()
    pairs = maximum_matching([list(range(left + 1)) for left in range(size)][::-1], size)
    assert UNPAIRED not in pairs
    assert time.process_time() - start < 2
