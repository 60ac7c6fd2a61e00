"""Maximum one-to-one assignment: who can be paired with whom, so that as many as possible are.

The algorithm is Hopcroft and Karp's (1973): phases of disjoint shortest augmenting paths, ``O(edges * sqrt(nodes))``.
It is written without recursion and visits nodes in their given order, so that the same input gives the same pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

UNPAIRED: Final = -1


def maximum_matching(neighbours: Sequence[Sequence[int]], right_size: int) -> list[int]:
    """Pair as many left nodes as possible with one right node each.

    Args:
        neighbours: For each left node the right nodes that it may be paired with.
        right_size: How many right nodes there are.

    Returns:
        For each left node its right node, or `UNPAIRED`.
    """
    right_of = [UNPAIRED] * len(neighbours)
    left_of = [UNPAIRED] * right_size
    while True:
        layers = _layers(neighbours, right_of, left_of)
        if layers is None:
            return right_of
        untried = [iter(edges) for edges in neighbours]
        for start, right in enumerate(right_of):
            if right == UNPAIRED:
                path = _augmenting_path(start, layers, untried, left_of)
                for left, free in path:
                    right_of[left], left_of[free] = free, left


def _layers(neighbours: Sequence[Sequence[int]], right_of: list[int], left_of: list[int]) -> list[int] | None:
    """Number the left nodes by their distance from an unpaired one; ``None`` when no augmenting path is left."""
    layers = [0 if right == UNPAIRED else UNPAIRED for right in right_of]
    queue = [left for left, right in enumerate(right_of) if right == UNPAIRED]
    found = False
    for left in queue:  # grows while it is walked
        for right in neighbours[left]:
            partner = left_of[right]
            if partner == UNPAIRED:
                found = True
            elif layers[partner] == UNPAIRED:
                layers[partner] = layers[left] + 1
                queue.append(partner)
    return layers if found else None


def _augmenting_path(
    start: int, layers: list[int], untried: list[Iterator[int]], left_of: list[int]
) -> list[tuple[int, int]]:
    """Walk down the layers from an unpaired left node to a free right one; each edge is tried once per phase."""
    path: list[tuple[int, int]] = []
    left = start
    while True:
        right = next((right for right in untried[left] if _leads_down(right, left, layers, left_of)), UNPAIRED)
        if right != UNPAIRED:
            path.append((left, right))
            if left_of[right] == UNPAIRED:
                return path
            left = left_of[right]
        elif path:
            left, _ = path.pop()
        else:
            return []


def _leads_down(right: int, left: int, layers: list[int], left_of: list[int]) -> bool:
    partner = left_of[right]
    return partner == UNPAIRED or layers[partner] == layers[left] + 1
