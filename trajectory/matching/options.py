"""The options of a match, read strictly: a misspelt one must never turn into a default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from trajectory.errors import ConfigurationError, did_you_mean
from trajectory.json_values import describe
from trajectory.settings import ArgumentPolicy, MatchMode, Repeats

if TYPE_CHECKING:
    from collections.abc import Iterable

_REPEATS: Final = get_args(Repeats)


def read_mode(mode: MatchMode | str) -> MatchMode:
    """Read a match mode by its name, in any ASCII case and with ``-`` for ``_``.

    Args:
        mode: The mode or its name.

    Returns:
        The mode.

    Raises:
        ConfigurationError: There is no such mode.
    """
    if isinstance(mode, str):
        return MatchMode.parse(mode)
    raise _unknown("match mode", mode, MatchMode.__members__)


def check_policy(arguments: object) -> None:
    """Refuse what is no argument policy.

    Raises:
        ConfigurationError: Something else was given, such as the name of a policy.
    """
    if not isinstance(arguments, ArgumentPolicy):
        name = arguments if isinstance(arguments, str) else "superset"
        raise ConfigurationError(
            f"arguments: expected an ArgumentPolicy, found {describe(arguments)} (write ArgumentPolicy(policy={name!r}))"
        )


def check_repeats(repeats: object) -> None:
    """Refuse an unknown way to treat repeats.

    Raises:
        ConfigurationError: It is neither ``count`` nor ``ignore``.
    """
    if repeats not in _REPEATS:
        raise _unknown("repeats", repeats, _REPEATS)


def read_tools(ignore_tools: Iterable[str]) -> tuple[str, ...]:
    """Read names or patterns of tools.

    Raises:
        ConfigurationError: One text instead of several, or something that is no text.
    """
    tools = () if isinstance(ignore_tools, str) else tuple(ignore_tools)
    if isinstance(ignore_tools, str) or not all(isinstance(tool, str) and tool for tool in tools):
        found = describe(ignore_tools if isinstance(ignore_tools, str) else list(tools))
        raise ConfigurationError(f"ignore_tools: expected names of tools, as in ('search', 'log_*'), found {found}")
    return tools


def _unknown(what: str, found: object, known: Iterable[str]) -> ConfigurationError:
    known = tuple(known)
    hint = did_you_mean(found, known) if isinstance(found, str) else ""
    return ConfigurationError(
        f"{what}: expected one of {', '.join(known)}, found {describe(found)}{f' ({hint})' if hint else ''}"
    )
