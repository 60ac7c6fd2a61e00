"""What the span of a request to a model says about tokens, money and the model, in all dialects: their names do not clash."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from trajectory.conversation import Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajectory.json_values import JsonValue
    from trajectory.recordings.spans.span import Span

INPUT: Final = "gen_ai.usage.input_tokens"
OUTPUT: Final = "gen_ai.usage.output_tokens"
CACHED: Final = "gen_ai.usage.cache_read.input_tokens"
COST: Final = "operation.cost"
MODEL: Final = "gen_ai.response.model"

_INPUTS: Final = (INPUT, "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.promptTokens")
_OUTPUTS: Final = (OUTPUT, "gen_ai.usage.completion_tokens", "llm.token_count.completion", "ai.usage.completionTokens")
_CACHED: Final = (CACHED, "gen_ai.usage.cache_read_input_tokens", "llm.token_count.prompt_details.cache_read")
_COSTS: Final = (COST, "llm.cost.total")
_MODELS: Final = (
    MODEL,
    "llm.model_name",
    "gen_ai.request.model",
    "ai.model.id",
    "traceloop.association.properties.ls_model_name",
)
_NO_MODEL: Final = "unknown"
_FIELDS: Final = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd")
_ABSURD: Final = 2**63


def usage_of(span: Span) -> Usage | None:
    """Read what a request took.

    Args:
        span: The span of the request.

    Returns:
        The usage; ``None`` when nothing of it is recorded.
    """
    given, cached = _number(span, _INPUTS), _number(span, _CACHED)
    if given is not None and cached is not None and cached > given:
        given += cached  # some providers count what came from a cache apart, against the conventions
    made, cost = _number(span, _OUTPUTS), _number(span, _COSTS)
    found = Usage(_whole(given), _whole(made), _whole(cached), None if cost is None else float(cost))
    return None if found == Usage() else found


def model_of(spans: Sequence[Span]) -> str | None:
    """Give the model that answered a request, or else the one that was asked.

    Args:
        spans: The spans of the request, the more trusted first.

    Returns:
        The name; ``None`` when none is recorded.
    """
    for key in _MODELS:
        for span in spans:
            if (name := span.text(key)) not in (None, _NO_MODEL):
                return name
    return None


def completed(usage: Usage | None, others: Sequence[Usage | None]) -> Usage | None:
    """Fill in what is not known of a request from further records of the same one."""
    for other in filter(None, others):
        missing = {name: getattr(other, name) for name in _FIELDS if getattr(usage, name, None) is None}
        usage = replace(usage or Usage(), **missing)
    return usage


def _number(span: Span, keys: tuple[str, ...]) -> float | None:
    for key in keys:
        if _is_amount(value := span.attributes.get(key)):
            return value
    return None


def _is_amount(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _ABSURD


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)
