"""The laws hold, and they are sharp: a matcher that is broken on purpose breaks one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.matching.laws import LAWS
from trajectory.matching import equality, modes, prepared, trajectory_match, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.matching.laws import Law


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


def _greedy_in_order(real: Any) -> Any:
    def broken(mode: Any, expected: Any, actual: Any) -> Any:
        if mode.name == "IN_ORDER":
            return {call.key for call in expected} <= {call.key for call in actual}
        return real(mode, expected, actual)

    return broken


def _set_membership(real: Any) -> Any:
    def broken(mode: Any, expected: Any, actual: Any) -> Any:
        if mode.name == "UNORDERED":
            return len(expected) == len(actual) and {call.key for call in expected} == {call.key for call in actual}
        return real(mode, expected, actual)

    return broken


def _compare_ids(real: Any) -> Any:
    def broken(call: Any, policy: Any) -> Any:
        ready = real(call, policy)
        return prepared.PreparedCall(ready.call, ready.name, (ready.key, call.id))

    return broken


def _folded_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key.lower(): _folded_keys(item) for key, item in value.items()}
    return [_folded_keys(item) for item in value] if isinstance(value, list) else value


def _fold_keys(real: Any) -> Any:
    return lambda value, **options: real(_folded_keys(value), **options)


MUTANTS: dict[str, tuple[Any, str, Callable[[Any], Any]]] = {
    "membership instead of counting": (verdict, "verdict_by_keys", _set_membership),
    "no order in IN_ORDER": (verdict, "verdict_by_keys", _greedy_in_order),
    "repeats collapsed": (modes, "Counter", lambda _: lambda keys: Counter(set(keys))),
    "True is 1": (equality, "_rare_token", lambda _: lambda value: value),
    "names folded beyond ASCII": (prepared, "fold", lambda _: str.lower),
    "values folded beyond ASCII": (equality, "fold", lambda _: str.casefold),
    "keys folded": (prepared, "canonical_key", _fold_keys),
    "ids compared": (trajectory_match, "prepare", _compare_ids),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_the_laws_catch_a_broken_matcher(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, mutate = MUTANTS[name]
    monkeypatch.setattr(module, attribute, mutate(getattr(module, attribute)))
    with pytest.raises(AssertionError):  # noqa: PT012 - whichever law it is
        for law in reversed(LAWS):
            _check(law, max_examples=150, phases=[Phase.generate])
