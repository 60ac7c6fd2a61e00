"""The laws hold, and they are sharp: a matcher that is broken on purpose breaks one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

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
    _check(law, max_examples=100)


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


MUTANTS: dict[str, tuple[Any, str, Callable[[Any], Any]]] = {
    "membership instead of counting": (modes, "_tool_paired", _look_up),
    "no order in IN_ORDER": (modes, "_passes", _any_order),
    "repeats collapsed": (modes, "Counter", lambda _: lambda keys: Counter(set(keys))),
    "first fit": (modes, "maximum_matching", _first_fit),
    "True is 1": (equality, "_rare_token", lambda _: lambda value: value),
    "names folded beyond ASCII": (prepared, "fold", lambda _: str.lower),
    "values folded beyond ASCII": (equality, "fold", lambda _: str.casefold),
    "keys folded": (prepared, "canonical_key", _fold_keys),
    "ids compared": (prepared.Preparation, "prepare", _compare_ids),
    "policies turned round": (prepared, "accepts_value", _turned),
    "nothing ignored": (prepared, "without", lambda _: lambda value, _: value),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_the_laws_catch_a_broken_matcher(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, mutate = MUTANTS[name]
    monkeypatch.setattr(module, attribute, mutate(getattr(module, attribute)))
    with pytest.raises(AssertionError):  # noqa: PT012 - whichever law it is
        for law in reversed(LAWS):
            _check(law, max_examples=150, phases=[Phase.generate])
