"""The rule on answers that are JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from trajectory.evaluations.verdicts import Verdict
from trajectory.json_values import JsonObject, NotJson, describe, plain_json
from trajectory.matching.matcher_check import check_schema
from trajectory.matching.schemas import MATCHER_KEY, is_valid, why_not
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from trajectory.conversation import Trace


def _schema(value: object) -> object:
    if not isinstance(value, dict):
        return value
    wrong = next((message for _, message, is_wrong in check_schema(value) if is_wrong), None)
    if wrong is not None:
        raise PydanticCustomError(
            "setting", "expected a JSON Schema (Draft 2020-12) that can be carried out ({why})", {"why": wrong}
        )
    return value


class ResponseSchema(RuleSettings):
    """What can be set about `response_schema`."""

    json_schema: Annotated[JsonObject, BeforeValidator(_schema)]
    """The JSON Schema (Draft 2020-12) that the answer must be valid by."""


@rule("response_schema", ResponseSchema)
def judge_response_schema(expected: Trace, actual: Trace, settings: ResponseSchema) -> Verdict:
    """The answer must be JSON, and valid by a JSON Schema."""
    del expected
    try:
        answer = plain_json(json.loads(actual.response or "", parse_constant=_refuse_constant))
    except NotJson as problem:
        return Verdict.failed(f"the answer is not JSON: {problem}")
    except (ValueError, RecursionError) as problem:
        return Verdict.failed(f"the answer is not JSON: {problem}", f"today {describe(actual.response)}")
    if is_valid(settings.json_schema, answer):
        return Verdict.passed()
    return Verdict.failed(
        f"the answer is not valid by the schema: {why_not({MATCHER_KEY: settings.json_schema}, answer)}",
        f"today {describe(answer)}",
    )


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
