"""The laws hold, and they are sharp: a matcher that is broken on purpose breaks one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.matching import laws
from tests.matching.laws import LAWS
from trajectory import MatchMode
from trajectory.matching import equality, modes, prepared
from trajectory.matching.assignment import UNPAIRED

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.matching.laws import Law
    from trajectory import ToolCall


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Law) -> None:
    _check(law, max_examples=60)


def _check(law: Law, **options: Any) -> None:
    checked = given(st.data())(law)
    settings(
        deadline=None,
        derandomize=True,
        report_multiple_bugs=False,
        suppress_health_check=[HealthCheck.too_slow],
        **options,
    )(checked)()


def _look_up(_: Any) -> Any:
    return lambda calls, others, _, **__: {call.key for call in calls} <= {other.key for other in others}


def _any_order(real: Any) -> Any:
    def broken(mode: MatchMode, *sides: Any, count: bool) -> Any:
        return real(MatchMode.SUPERSET if mode is MatchMode.IN_ORDER else mode, *sides, count=count)

    return broken


def _first_fit(_: Any) -> Any:
    def broken(neighbours: list[list[int]], _: int) -> list[int]:
        taken: list[int] = []
        for edges in neighbours:
            taken.append(next((right for right in edges if right not in taken), UNPAIRED))
        return taken

    return broken


def _compare_ids(real: Any) -> Any:
    def broken(self: Any, call: ToolCall) -> Any:
        ready = real(self, call)
        return replace(ready, key=(ready.key, call.id))

    return broken


def _turned(real: Any) -> Any:
    return lambda expected, actual, policy: real(actual, expected, policy)


def _folded_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key.lower(): _folded_keys(item) for key, item in value.items()}
    return [_folded_keys(item) for item in value] if isinstance(value, list) else value


def _fold_keys(real: Any) -> Any:
    return lambda value, **options: real(_folded_keys(value), **options)


MUTANTS: dict[str, tuple[Any, str, Callable[[Any], Any], Law]] = {
    "membership instead of counting": (modes, "_tool_paired", _look_up, laws.the_verdict_is_that_of_trying_everything),
    "no order in IN_ORDER": (modes, "_passes", _any_order, laws.the_verdict_is_that_of_trying_everything),
    "repeats collapsed": (
        modes,
        "Counter",
        lambda _: lambda keys: Counter(set(keys)),
        laws.the_verdict_is_that_of_trying_everything,
    ),
    "first fit": (modes, "maximum_matching", _first_fit, laws.no_call_takes_a_partner_that_another_one_needs),
    "policies turned round": (
        prepared,
        "accepts_value",
        _turned,
        laws.no_call_takes_a_partner_that_another_one_needs,
    ),
    "True is 1": (equality, "_rare_token", lambda _: lambda value: value, laws.nearly_equal_calls_are_told_apart),
    "names folded beyond ASCII": (prepared, "fold", lambda _: str.lower, laws.nearly_equal_calls_are_told_apart),
    "values folded beyond ASCII": (equality, "fold", lambda _: str.casefold, laws.nearly_equal_calls_are_told_apart),
    "keys folded": (prepared, "canonical_key", _fold_keys, laws.nearly_equal_calls_are_told_apart),
    "nothing ignored": (
        prepared,
        "without",
        lambda _: lambda value, _: value,
        laws.nearly_equal_calls_are_told_apart,
    ),
    "ids compared": (prepared.Preparation, "prepare", _compare_ids, laws.ids_never_matter),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_law_catches_a_matcher_broken_on_purpose(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, mutate, law = MUTANTS[name]
    monkeypatch.setattr(module, attribute, mutate(getattr(module, attribute)))
    with pytest.raises(AssertionError):
        _check(law, max_examples=600, phases=[Phase.generate])
