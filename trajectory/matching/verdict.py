"""From two lists of prepared calls to a verdict, or to none where the recording kept too little."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from trajectory.conversation import MalformedArguments
from trajectory.matching.modes import verdict_by_acceptance, verdict_by_keys, without_repeats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajectory.matching.prepared import PreparedCall
    from trajectory.settings import MatchMode, Repeats


def verdict(
    mode: MatchMode, repeats: Repeats, expected: Sequence[PreparedCall], actual: Sequence[PreparedCall]
) -> bool | None:
    """Decide whether the actual calls are what the mode asks for.

    Arguments that were not recorded could have been anything. Where the verdict is the same whether they are accepted
    everywhere or nowhere, it stands.

    Args:
        mode: The match mode.
        repeats: Whether repeated calls count.
        expected: The expected calls.
        actual: The actual calls.

    Returns:
        The verdict; ``None`` where it depends on arguments that were not recorded.
    """
    expected, actual = without_repeats(mode, repeats, expected, actual)
    if all(call.recorded for call in (*expected, *actual)):
        return verdict_by_keys(mode, expected, actual)
    least = verdict_by_acceptance(mode, repeats, expected, actual, partial(accepts, unrecorded=False))
    most = verdict_by_acceptance(mode, repeats, expected, actual, partial(accepts, unrecorded=True))
    return least if least == most else None


def accepts(expected: PreparedCall, actual: PreparedCall, *, unrecorded: bool) -> bool:
    """Tell whether an expected call accepts an actual one.

    Args:
        expected: The expected call.
        actual: The actual call.
        unrecorded: What to suppose where arguments were not recorded.

    Returns:
        Whether the expected call accepts the actual one.
    """
    if expected.recorded and actual.recorded:
        return expected.key == actual.key
    return unrecorded and expected.name == actual.name and not (_malformed(expected) or _malformed(actual))


def _malformed(call: PreparedCall) -> bool:
    return isinstance(call.call.arguments, MalformedArguments)
