"""The laws of matching, each one a function of drawn inputs that asserts."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.matching.oracle import accepting, passes
from tests.matching.strategies import CALLS, EXACT_POLICIES, MODES, POLICIES, REPEATS, near, pairs
from trajectory import ArgumentPolicy, MatchMode, ToolCall
from trajectory.matching import match_trajectory
from trajectory.settings import Tolerance

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import DataObject

    Law = Callable[[DataObject], None]

NESTED_CALLS = [
    ToolCall(name="f", arguments=dict.fromkeys(keys, 1)) for keys in ("", "a", "b", "c", "ab", "ac", "bc", "abc")
]
"""Calls whose arguments contain each other, so that a partner can be taken too early."""

STRICT, IN_ORDER, UNORDERED, SUBSET, SUPERSET = MatchMode


def verdict(mode: MatchMode, expected: Any, actual: Any, **options: Any) -> bool:
    return match_trajectory(expected, actual, mode, **options).passed


def any_options(data: DataObject) -> dict[str, Any]:
    return {"arguments": data.draw(POLICIES), "repeats": data.draw(REPEATS)}


def strict_is_the_strictest(data: DataObject) -> None:
    (expected, actual), options = data.draw(pairs(malformed=True)), any_options(data)
    if verdict(STRICT, expected, actual, **options):
        assert verdict(UNORDERED, expected, actual, **options)
        assert verdict(IN_ORDER, expected, actual, **options)


def in_order_implies_superset(data: DataObject) -> None:
    (expected, actual), options = data.draw(pairs(malformed=True)), any_options(data)
    if verdict(IN_ORDER, expected, actual, **options):
        assert verdict(SUPERSET, expected, actual, **options)


def unordered_is_subset_and_superset(data: DataObject) -> None:
    (expected, actual), options = data.draw(pairs(malformed=True)), any_options(data)
    both = verdict(SUBSET, expected, actual, **options) and verdict(SUPERSET, expected, actual, **options)
    assert verdict(UNORDERED, expected, actual, **options) == both


def every_mode_is_reflexive(data: DataObject) -> None:
    calls = data.draw(st.lists(CALLS, max_size=5))
    assert verdict(data.draw(MODES), calls, calls, **any_options(data))


def subset_is_superset_turned(data: DataObject) -> None:
    (expected, actual), repeats = data.draw(pairs(malformed=True)), data.draw(REPEATS)
    subset = verdict(SUBSET, expected, actual, repeats=repeats)
    assert subset == verdict(SUPERSET, actual, expected, repeats=repeats)


def order_never_matters_without_order(data: DataObject) -> None:
    (expected, actual), options = data.draw(pairs(malformed=True)), any_options(data)
    mode = data.draw(st.sampled_from([UNORDERED, SUBSET, SUPERSET]))
    shuffled = data.draw(st.permutations(expected)), data.draw(st.permutations(actual))
    assert verdict(mode, expected, actual, **options) == verdict(mode, *shuffled, **options)


def ids_never_matter(data: DataObject) -> None:
    (expected, actual), options, mode = data.draw(pairs()), any_options(data), data.draw(MODES)
    renamed = [call.model_copy(update={"id": "another"}) for call in actual]
    assert verdict(mode, expected, actual, **options) == verdict(mode, expected, renamed, **options)


def respelling_numbers_never_matters(data: DataObject) -> None:
    (expected, actual), options, mode = data.draw(pairs()), any_options(data), data.draw(MODES)
    respelt = [call.model_copy(update={"arguments": _respell(call.arguments)}) for call in actual]
    assert verdict(mode, expected, actual, **options) == verdict(mode, expected, respelt, **options)


def _respell(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _respell(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_respell(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 2**53:
        return value
    return float(value) if isinstance(value, int) else int(value) if value.is_integer() else value


def one_more_actual_call_never_breaks_superset(data: DataObject) -> None:
    (expected, actual), options = data.draw(pairs(malformed=True)), any_options(data)
    mode = data.draw(st.sampled_from([SUPERSET, IN_ORDER]))
    place = data.draw(st.integers(0, len(actual)))
    more = [
        *actual[:place],
        data.draw(CALLS | st.sampled_from([*expected, *actual] or [ToolCall(name="f")])),
        *actual[place:],
    ]
    assert verdict(mode, expected, more, **options) or not verdict(mode, expected, actual, **options)


def one_actual_call_less_never_breaks_subset(data: DataObject) -> None:
    (expected, actual), options = data.draw(pairs(malformed=True)), any_options(data)
    place = data.draw(st.integers(0, len(actual)))
    less = [*actual[:place], *actual[place + 1 :]]
    assert verdict(SUBSET, expected, less, **options) or not verdict(SUBSET, expected, actual, **options)


def folding_case_only_adds_passes(data: DataObject) -> None:
    (expected, actual), mode, repeats = data.draw(pairs(malformed=True)), data.draw(MODES), data.draw(REPEATS)
    if verdict(mode, expected, actual, repeats=repeats):
        assert verdict(mode, expected, actual, repeats=repeats, arguments=ArgumentPolicy(case_sensitive=False))


def ignoring_repeats_only_adds_passes(data: DataObject) -> None:
    (expected, actual), mode, policy = data.draw(pairs(malformed=True)), data.draw(MODES), data.draw(POLICIES)
    if verdict(mode, expected, actual, arguments=policy):
        assert verdict(mode, expected, actual, arguments=policy, repeats="ignore")


def the_verdict_is_that_of_trying_everything(data: DataObject) -> None:
    (expected, actual), policy = data.draw(pairs(malformed=True, max_size=4)), data.draw(POLICIES)
    accepts = accepting(policy)
    for mode, order in product(MatchMode, (actual, actual[::-1], actual[1:], expected[::-1])):
        assert verdict(mode, expected, order, arguments=policy) == passes(mode, expected, order, accepts)


def no_call_takes_a_partner_that_another_one_needs(data: DataObject) -> None:
    policy = ArgumentPolicy.model_validate({"policy": data.draw(st.sampled_from(["subset", "superset"]))})
    calls = st.lists(st.sampled_from(NESTED_CALLS), min_size=2, max_size=3)
    expected, actual = data.draw(calls), data.draw(calls)
    for mode in MatchMode:
        assert verdict(mode, expected, actual, arguments=policy) == passes(mode, expected, actual, accepting(policy))


def nearly_equal_calls_are_told_apart(data: DataObject) -> None:
    expected, policy = data.draw(CALLS), data.draw(POLICIES)
    accepts = accepting(policy)
    for arguments in near(expected.arguments):
        for name in (expected.name, expected.name.swapcase()):
            actual = ToolCall(name=name, arguments=arguments)
            assert verdict(STRICT, [expected], [actual], arguments=policy) == accepts(expected, actual)


def no_policy_is_stricter_than_exact(data: DataObject) -> None:
    (expected, actual), policy, repeats = data.draw(pairs(malformed=True)), data.draw(POLICIES), data.draw(REPEATS)
    for mode in MatchMode:
        if verdict(mode, expected, actual, repeats=repeats):
            assert verdict(mode, expected, actual, repeats=repeats, arguments=policy)


def counting_agrees_with_assigning(data: DataObject) -> None:
    (expected, actual), policy = data.draw(pairs(malformed=True)), data.draw(EXACT_POLICIES)
    # A tolerance that forgives nothing: the same acceptance, found the general way.
    assigning = policy.model_copy(update={"tolerance": Tolerance(absolute=5e-324)})
    for mode in MatchMode:
        counted = verdict(mode, expected, actual, arguments=policy)
        assert counted == verdict(mode, expected, actual, arguments=assigning)


LAWS: tuple[Law, ...] = (
    no_policy_is_stricter_than_exact,
    counting_agrees_with_assigning,
    strict_is_the_strictest,
    in_order_implies_superset,
    unordered_is_subset_and_superset,
    every_mode_is_reflexive,
    subset_is_superset_turned,
    order_never_matters_without_order,
    ids_never_matter,
    respelling_numbers_never_matters,
    one_more_actual_call_never_breaks_superset,
    one_actual_call_less_never_breaks_subset,
    folding_case_only_adds_passes,
    ignoring_repeats_only_adds_passes,
    nearly_equal_calls_are_told_apart,
    no_call_takes_a_partner_that_another_one_needs,
    the_verdict_is_that_of_trying_everything,
)
