"""What a request took, in every spelling."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.recordings.beside import time_of
from trajectory.recordings.usage import read_cost, read_usage
from trajectory.usage import Usage

SPELLINGS: dict[str, dict[str, Any]] = {
    "OpenAI Chat": {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 30},
        "completion_tokens_details": {"reasoning_tokens": 5},
    },
    "OpenAI Responses": {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 30},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 5},
        "total_tokens": 120,
    },
    "Anthropic": {
        "input_tokens": 60,
        "cache_read_input_tokens": 30,
        "cache_creation_input_tokens": 10,
        "output_tokens": 20,
    },
    "Bedrock": {
        "inputTokens": 60,
        "cacheReadInputTokens": 30,
        "cacheWriteInputTokens": 10,
        "outputTokens": 20,
        "totalTokens": 120,
    },
    "Anthropic's keys, but counted together": {
        "input_tokens": 100,
        "cache_read_input_tokens": 30,
        "output_tokens": 20,
        "total_tokens": 120,
    },
    "LangChain": {
        "input_tokens": 100,
        "output_tokens": 20,
        "total_tokens": 120,
        "input_token_details": {"cache_read": 30},
    },
    "Gemini": {
        "promptTokenCount": 90,
        "toolUsePromptTokenCount": 10,
        "candidatesTokenCount": 15,
        "thoughtsTokenCount": 5,
        "cachedContentTokenCount": 30,
        "totalTokenCount": 120,
    },
    "Google ADK": {
        "prompt_token_count": 100,
        "candidates_token_count": 15,
        "thoughts_token_count": 5,
        "cached_content_token_count": 30,
    },
    "Gemini CLI": {"input": 100, "output": 15, "cached": 30, "thoughts": 5, "tool": 0, "total": 120},
    "Pydantic AI": {"input_tokens": 100, "cache_read_tokens": 30, "cache_write_tokens": 10, "output_tokens": 20},
    "Codex": {"input_tokens": 100, "cached_input_tokens": 30, "output_tokens": 20, "reasoning_output_tokens": 5},
    "Vercel AI SDK": {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120, "cachedInputTokens": 30},
    "Inspect": {
        "input_tokens": 60,
        "output_tokens": 20,
        "total_tokens": 120,
        "input_tokens_cache_read": 30,
        "input_tokens_cache_write": 10,
    },
}


NO_TIMES: list[Any] = [None, True, "", "noon", [], {}, math.nan, math.inf, 10**40, "10000-01-01"]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_says_the_same(spelling: str) -> None:
    assert read_usage(SPELLINGS[spelling]) == Usage(input_tokens=100, output_tokens=20, cached_tokens=30)


@pytest.mark.parametrize("number", [-1, True, 1.5, "7", [7], math.nan])
def test_what_is_no_number_of_tokens_is_not_known(number: Any) -> None:
    assert read_usage({"prompt_tokens": number}) is None
    assert read_usage({"prompt_tokens": number, "completion_tokens": 2}) == Usage(output_tokens=2)


@pytest.mark.parametrize("given", [None, "100", [], {}, {"tokens": 7}, {"prompt_tokens": None}])
def test_nothing_that_is_said_is_no_usage(given: Any) -> None:
    assert read_usage(given) is None


@pytest.mark.parametrize(
    ("amount", "cost"),
    [(0, 0.0), (0.25, 0.25), (-1, None), (True, None), ("1", None), (math.inf, None), (math.nan, None), ({}, None)],
)
def test_costs(amount: Any, cost: float | None) -> None:
    assert read_cost(amount) == cost


def test_a_cost_stands_with_the_tokens_or_beside_them() -> None:
    assert read_usage({"cost": 0.5}) == Usage(cost_usd=0.5)
    assert read_usage(None, 0.5) == Usage(cost_usd=0.5)
    assert read_usage({"cost": 0.5}, 0.7) == Usage(cost_usd=0.5)


@given(
    st.dictionaries(
        st.sampled_from([key for one in SPELLINGS.values() for key in one]),
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(),
            st.text(),
            st.dictionaries(st.just("cached_tokens"), st.integers()),
        ),
    )
)
def test_whatever_stands_there_is_read_or_passed_over(told: dict[str, Any]) -> None:
    usage = read_usage(told) or Usage()
    numbers = (usage.input_tokens, usage.output_tokens, usage.cached_tokens)
    assert all(number is None or number >= 0 for number in numbers)


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-08-01T09:00:00Z", "2026-08-01T09:00:00+00:00"),
        ("2026-08-01T11:00:00.5+02:00", "2026-08-01T09:00:00.500000+00:00"),
        ("2026-08-01 09:00:00", "2026-08-01T09:00:00+00:00"),
        (1785574800, "2026-08-01T09:00:00+00:00"),
        (1785574800.5, "2026-08-01T09:00:00.500000+00:00"),
        (1785574800500, "2026-08-01T09:00:00.500000+00:00"),
        (1785574800500000000, "2026-08-01T09:00:00.500000+00:00"),
        *[(wrong, None) for wrong in NO_TIMES],
    ],
)
def test_times(value: Any, time: str | None) -> None:
    assert time_of(value) == time
