"""Regular expressions of users, held to a time limit.

A pattern in which a repeat or a choice stands inside of a repeat can take exponential time on an innocent text, and
nothing can interrupt Python's ``re`` from inside of the process. Such a pattern, and one with several open repeats on a
long text, is tried in a process of its own.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from functools import lru_cache
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, Final

from trajectory.errors import EvaluationError

SECONDS: Final = 5.0
"""How long one pattern may take on one text."""
_LONG_TEXT: Final = 10_000
_OPEN_REPEATS: Final = 2
_REPEATS: Final = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
_CHILD: Final = (
    "import json,re,sys;pattern,text,full=json.load(sys.stdin);"
    "found=re.fullmatch(pattern,text) if full else re.search(pattern,text);print(int(found is not None))"
)


def matches(pattern: str, text: str, *, full: bool = False) -> bool:
    """Tell whether a pattern is found in a text.

    Args:
        pattern: A regular expression of Python's ``re``.
        text: The text.
        full: It must match the whole text.

    Raises:
        EvaluationError: It takes too long.
    """
    nested, open_repeats = _repeats(pattern)
    if nested or (open_repeats >= _OPEN_REPEATS and len(text) > _LONG_TEXT):
        return _matches_apart(pattern, text, full)
    compiled = re.compile(pattern)
    return (compiled.fullmatch(text) if full else compiled.search(text)) is not None


@lru_cache(maxsize=256)
def _matches_apart(pattern: str, text: str, full: bool) -> bool:  # noqa: FBT001 - the key of a cache
    try:
        done = subprocess.run(  # noqa: S603 - this very Python, and a program of ours
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=json.dumps([pattern, text, full]),
            capture_output=True,
            timeout=SECONDS,
            check=True,
            text=True,
        )
    except subprocess.TimeoutExpired:
        raise EvaluationError(
            f"the pattern {pattern} takes more than {SECONDS:g} s on a text of {len(text)} characters; "
            "a repeat inside of a repeat, such as (a+)+, can be written as one"
        ) from None
    except subprocess.CalledProcessError as problem:
        raise EvaluationError(f"the pattern {pattern} could not be tried: {problem.stderr.strip()}") from None
    return done.stdout.strip() == "1"


@lru_cache(maxsize=256)
def _repeats(pattern: str) -> tuple[bool, int]:
    """Tell whether a repeat or a choice stands inside of a repeat, and how many open repeats there are."""
    nested, number = False, 0

    def walk(items: Any, *, inside: bool) -> None:
        nonlocal nested, number
        for operator, argument in items:
            if operator in _REPEATS:
                is_open = argument[1] is _constants.MAXREPEAT
                number += is_open
                nested = nested or inside
                walk(argument[2], inside=inside or argument[1] > 1)
            else:
                nested = nested or (inside and operator is _constants.BRANCH)
                for part in _parts(argument):
                    walk(part, inside=inside)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever stated the pattern was warned then
        walk(_parser.parse(pattern), inside=False)
    return nested, number


def _parts(argument: Any) -> list[Any]:
    """Give the patterns inside of an operator's argument."""
    if isinstance(argument, _parser.SubPattern):
        return [argument]
    if isinstance(argument, tuple | list):
        return [part for inner in argument for part in _parts(inner)]
    return []
