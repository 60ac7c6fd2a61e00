"""What a request to a model took, in the spellings of all the programs that write it down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from trajectory.usage import Usage

_INPUT: Final = (
    "prompt_tokens",
    "input_tokens",
    "promptTokenCount",
    "prompt_token_count",
    "inputTokens",
    "promptTokens",
    "input",
)
_OUTPUT: Final = (
    "completion_tokens",
    "output_tokens",
    "candidatesTokenCount",
    "candidates_token_count",
    "outputTokens",
    "completionTokens",
    "output",
)
_BESIDE_INPUT: Final = ("toolUsePromptTokenCount", "tool_use_prompt_token_count", "tool")
"""Gemini's models are given what its own tools found on top of the prompt."""
_BESIDE_OUTPUT: Final = ("thoughtsTokenCount", "thoughts_token_count", "thoughts")
"""Gemini counts thoughts apart from the answer; all others count them with it."""
_CACHE_READ_APART: Final = ("cache_read_input_tokens", "cacheReadInputTokens", "input_tokens_cache_read")
_CACHE_WRITE_APART: Final = ("cache_creation_input_tokens", "cacheWriteInputTokens", "input_tokens_cache_write")
"""Anthropic, and those that follow it, count what went through the cache apart from the input."""
_CACHE_READ: Final = (
    *_CACHE_READ_APART,
    "cached_tokens",
    "cache_read_tokens",
    "cached_input_tokens",
    "cachedInputTokens",
    "cachedContentTokenCount",
    "cached_content_token_count",
    "cache_read",
    "cacheReadTokens",
    "cached",
)
_DETAILS: Final = ("prompt_tokens_details", "input_tokens_details", "input_token_details", "inputTokenDetails")
_TOTAL: Final = ("total_tokens", "totalTokens", "totalTokenCount", "total_token_count", "total")
_COST: Final = ("cost", "cost_usd", "total_cost_usd", "total_cost", "response_cost", "costUSD")


def read_usage(given: object, cost: object = None) -> Usage | None:
    """Read what a request took.

    Args:
        given: The object that says it, in any spelling. Numbers that cannot be one of tokens are passed over.
        cost: The cost in US dollars, where it stands elsewhere.

    Returns:
        What it took; ``None`` when nothing is said.
    """
    if given is None and cost is None:
        return None
    told: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    details: Mapping[str, Any] = next((told[key] for key in _DETAILS if isinstance(told.get(key), Mapping)), {})
    cached = _first(told, _CACHE_READ)
    usage = Usage(
        input_tokens=_input(told),
        output_tokens=_sum(_first(told, _OUTPUT), _first(told, _BESIDE_OUTPUT)),
        cached_tokens=_first(details, _CACHE_READ) if cached is None else cached,
        cost_usd=read_cost(next((told[key] for key in _COST if told.get(key) is not None), cost)),
    )
    return None if usage == Usage() else usage


def read_cost(given: object) -> float | None:
    """Read an amount of US dollars; ``None`` for what is none."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given) or given < 0:
        return None
    return float(given)


def added_usage(before: Usage, total: Usage) -> Usage | None:
    """Tell what was added to a running total.

    Args:
        before: The total as it was.
        total: The total as it is.

    Returns:
        What came on top; ``None`` when the total did not run on, but began anew.
    """
    tokens = [
        _more(before.input_tokens, total.input_tokens),
        _more(before.output_tokens, total.output_tokens),
        _more(before.cached_tokens, total.cached_tokens),
    ]
    cost = None if total.cost_usd is None else total.cost_usd - (before.cost_usd or 0.0)
    if any(number is not None and number < 0 for number in (*tokens, cost)):
        return None
    return Usage(tokens[0], tokens[1], tokens[2], cost)


def _more(before: int | None, now: int | None) -> int | None:
    return None if now is None else now - (before or 0)


def _input(told: Mapping[str, Any]) -> int | None:
    plain = _sum(_first(told, _INPUT), _first(told, _BESIDE_INPUT))
    apart = _sum(_first(told, _CACHE_READ_APART), _first(told, _CACHE_WRITE_APART))
    if plain is None or not apart:
        return plain
    total, output = _first(told, _TOTAL), _first(told, _OUTPUT)
    # Some write these keys and count the cache with the input nevertheless: their total tells.
    return plain if total is not None and total == plain + (output or 0) else plain + apart


def _first(told: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    found = next((told[key] for key in keys if told.get(key) is not None), None)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def _sum(first: int | None, second: int | None) -> int | None:
    return second if first is None else first + (second or 0)
