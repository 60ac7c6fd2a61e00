"""Regular expressions of users, held to a time limit.

A pattern can take exponential time on an innocent text, and nothing can interrupt Python's ``re`` from inside of the
process, on whatever thread it runs. So the steps that a pattern may take on a text are estimated from above. Where they
are few, it is tried on the spot; otherwise in a process that is kept for this, and killed when the time is up.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import threading
import warnings
from functools import lru_cache
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, Final

from trajectory.errors import EvaluationError

SECONDS: Final = 5.0
"""How long one pattern may take on one text."""
_FEW_STEPS: Final = 50_000_000
"""What Python's ``re`` does in a fraction of a second."""
_MANY: Final = 1e300
_REPEATS: Final = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_CHILD: Final = """
import json, re, sys
for line in sys.stdin:
    pattern, text, full = json.loads(line)
    try:
        answer = (re.fullmatch if full else re.search)(pattern, text) is not None
    except Exception as problem:
        answer = repr(problem)
    print(json.dumps(answer), flush=True)
"""


class PatternTimeout(EvaluationError):  # noqa: N818 - named for what happened
    """A pattern takes too long on a text, so nobody knows whether it matches."""


def matches(pattern: str, text: str, *, full: bool = False) -> bool:
    """Tell whether a pattern is found in a text.

    Args:
        pattern: A regular expression of Python's ``re``.
        text: The text.
        full: It must match the whole text.

    Raises:
        PatternTimeout: It takes too long.
        EvaluationError: It could not be tried.
    """
    if most_steps(pattern, len(text), full=full) > _FEW_STEPS:
        return _BESIDE.ask(pattern, text, full=full)
    compiled = re.compile(pattern)
    return (compiled.fullmatch(text) if full else compiled.search(text)) is not None


@lru_cache(maxsize=4096)
def most_steps(pattern: str, length: int, *, full: bool = False) -> float:
    """Estimate from above how many steps a pattern takes on a text: the ways to match it, from every place on.

    Args:
        pattern: The pattern.
        length: How many characters the text has.
        full: It must match the whole text.

    Returns:
        At least as many as it takes.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever stated the pattern was warned then
        parsed = _parser.parse(pattern)
    shortest: int = parsed.getwidth()[0]
    places = 1 if full else length + 1
    return places * (1 + min(shortest, length)) * _ways(parsed, length)


def _ways(items: Any, length: int) -> float:
    """Count the ways in which a sequence may match."""
    ways = 1.0
    for operator, argument in items:
        if operator in _REPEATS:
            low, high, body = argument
            ways *= _ways_to_repeat(low, min(high, max(low, length)), _ways(body, length))
        elif operator in (_constants.BRANCH, _constants.GROUPREF_EXISTS):
            ways *= sum(_ways(part, length) for part in _parts(argument))
        else:
            for part in _parts(argument):
                ways *= _ways(part, length)
        ways = min(ways, _MANY)
    return ways


def _ways_to_repeat(low: int, high: int, ways_of_one: float) -> float:
    """Count the ways to repeat something: one for each number of times, if there is only one way to match it."""
    if ways_of_one <= 1:
        return high - low + 1
    try:
        return min(ways_of_one ** (high + 1), _MANY)
    except OverflowError:
        return _MANY


def _parts(argument: Any) -> list[Any]:
    """Give the patterns inside of an operator's argument."""
    if isinstance(argument, _parser.SubPattern):
        return [argument]
    if isinstance(argument, tuple | list):
        return [part for inner in argument for part in _parts(inner)]
    return []


class _Beside:
    """A process of its own in which patterns are tried, one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0

    def ask(self, pattern: str, text: str, *, full: bool) -> bool:
        """Try a pattern there.

        Raises:
            PatternTimeout: The time is up.
            EvaluationError: It could not be tried.
        """
        with self._lock:
            process, expired = self._running(), threading.Event()
            timer = threading.Timer(SECONDS, _expire, (process, expired))
            timer.daemon = True
            timer.start()
            try:
                answer = _exchange(process, json.dumps([pattern, text, full]))
            except BaseException:
                self.stop()  # an answer that nobody takes would be the next one's
                raise
            finally:
                timer.cancel()
            if not isinstance(answer, bool):
                self.stop()
        if isinstance(answer, bool):
            return answer
        if expired.is_set():
            raise PatternTimeout(
                f"the pattern {pattern} takes more than {SECONDS:g} s on a text of {len(text)} characters; "
                "a repeat inside of a repeat, such as (a+)+, can be written as one"
            )
        raise EvaluationError(f"the pattern {pattern} could not be tried: {answer or 'its process ended'}")

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None and self._owner == os.getpid() and self._process.poll() is None:
            return self._process
        self.stop()
        self._owner = os.getpid()
        self._process = subprocess.Popen(  # noqa: S603 - this very Python, and a program of ours
            [sys.executable, "-I", "-S", "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="ascii",
        )
        return self._process

    def stop(self) -> None:
        """End the process; the next question starts another one."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                _close(stream)


def _expire(process: subprocess.Popen[str], expired: threading.Event) -> None:
    expired.set()
    process.kill()


def _exchange(process: subprocess.Popen[str], question: str) -> Any:
    """Put a question; nothing comes back when the process has ended."""
    if process.stdin is None or process.stdout is None:
        return None
    try:
        process.stdin.write(question + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline() or "null")
    except (OSError, ValueError):
        return None


def _close(stream: Any) -> None:
    try:
        stream.close()
    except OSError:  # what was not sent cannot be any more
        return


_BESIDE: Final = _Beside()
atexit.register(_BESIDE.stop)
