"""What the settings of several rules are made of."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, Strict
from pydantic_core import PydanticCustomError


def _whole(value: object) -> object:
    """Take 5.0 for 5, as JSON does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as problem:
        raise PydanticCustomError(
            "setting", "expected a regular expression of Python's re ({why})", {"why": str(problem)}
        ) from None
    return text


Text: TypeAlias = Annotated[str, Field(min_length=1)]
Texts: TypeAlias = Annotated[tuple[Text, ...], Field(min_length=1)]
Count: TypeAlias = Annotated[int, Strict(), Field(ge=0), BeforeValidator(_whole)]
PositiveCount: TypeAlias = Annotated[int, Strict(), Field(ge=1), BeforeValidator(_whole)]
PositiveSeconds: TypeAlias = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)]
PositiveAmount: TypeAlias = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)]
Score: TypeAlias = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
Pattern: TypeAlias = Annotated[Text, AfterValidator(_pattern)]


def refuse_min_above_max(low: int, high: int | None) -> None:
    """Refuse bounds that nothing can lie between.

    Raises:
        PydanticCustomError: The lower one is above the upper one.
    """
    if high is not None and low > high:
        raise PydanticCustomError(
            "setting", "expected min to be at most max ({low} is above {high})", {"low": low, "high": high}
        )
