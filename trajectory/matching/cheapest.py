"""The cheapest one-to-one pairing of rows with columns: the Hungarian method (Kuhn 1955), in cubic time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def cheapest_pairing(costs: Sequence[Sequence[int]]) -> list[int]:
    """Pair every row with a column of its own so that the sum of the costs is least.

    Args:
        costs: The cost of each row with each column; at least as many columns as rows.

    Returns:
        The column of each row. Among equally cheap pairings the same one every time.
    """
    columns = len(costs[0]) if costs else 0
    # Columns are counted from 1; column 0 holds the row for which a place is being sought.
    row_price, column_price = [0] * (len(costs) + 1), [0] * (columns + 1)
    row_of = [0] * (columns + 1)
    for row in range(1, len(costs) + 1):
        row_of[0] = row
        came_from, last = _cheapest_path(costs, row_of, row_price, column_price)
        while last:
            row_of[last], last = row_of[came_from[last]], came_from[last]
    column_of = {row: column - 1 for column, row in enumerate(row_of) if column and row}
    return [column_of[row] for row in range(1, len(costs) + 1)]


def _cheapest_path(
    costs: Sequence[Sequence[int]], row_of: list[int], row_price: list[int], column_price: list[int]
) -> tuple[list[int], int]:
    """Find the cheapest way from the new row to a free column, and adjust the prices to it."""
    columns = range(1, len(row_of))
    distance: list[float] = [float("inf")] * len(row_of)
    came_from = [0] * len(row_of)
    done: set[int] = set()
    here = 0
    while row_of[here]:
        done.add(here)
        row = row_of[here]
        open_columns = [column for column in columns if column not in done]
        for column in open_columns:
            detour = costs[row - 1][column - 1] - row_price[row] - column_price[column]
            if detour < distance[column]:
                distance[column], came_from[column] = detour, here
        here = min(open_columns, key=distance.__getitem__)
        step = int(distance[here])
        for column in done:
            row_price[row_of[column]] += step
            column_price[column] -= step
        for column in open_columns:
            distance[column] -= step
    return came_from, here
