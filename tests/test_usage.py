"""What models took."""

from __future__ import annotations

import pytest

from trajectory.conversation import Usage


def test_tokens_are_known_when_both_sides_are() -> None:
    assert Usage(input_tokens=3, output_tokens=4).tokens == 7
    assert Usage(input_tokens=3).tokens is None


def test_a_total_adds_up_every_request() -> None:
    parts = [Usage(3, 4, 1, 0.5), Usage(1, 1, None, 0.25)]
    assert Usage.total(parts) == Usage(4, 5, 1, 0.75)


@pytest.mark.parametrize("gap", [None, Usage(), Usage(input_tokens=1)])
def test_a_total_says_that_a_request_is_not_counted(gap: Usage | None) -> None:
    total = Usage.total([Usage(3, 4, cost_usd=0.5), gap])
    assert total is not None
    assert not total.tokens_complete
    assert not total.cost_complete
    assert total.output_tokens == 4
    assert Usage.total([total, Usage(1, 1, cost_usd=1)]) != Usage.total(
        [Usage(3, 4, cost_usd=0.5), Usage(1, 1, cost_usd=1)]
    )


def test_tokens_can_be_complete_where_the_cost_is_not() -> None:
    total = Usage.total([Usage(3, 4, cost_usd=0.5), Usage(1, 1)])
    assert total is not None
    assert total.tokens_complete
    assert not total.cost_complete


def test_the_total_of_nothing_is_not_known() -> None:
    assert Usage.total([]) is None
    assert Usage.total([None, Usage()]) is None
