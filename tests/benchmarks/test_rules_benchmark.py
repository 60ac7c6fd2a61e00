"""All rules that ask no judge, over 1,000 threads of 5 turns of 3 calls, against the tool trajectory and the schemas alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.sets import TIME, call
from trajectory.conversation import ConversationThread, Usage
from trajectory.evaluations import Outcome, judge
from trajectory.replay import ThreadReplay, TurnReplay
from trajectory.rules import BUILT_IN, find_rule
from trajectory.settings import THREAD_KEYS, Settings, read_settings

if TYPE_CHECKING:
    from tests.benchmarks.conftest import Comparison

THREADS, TURNS, CALLS = 1000, 5, 3
ANSWER: Final = '{"status": "shipped", "carrier": "post", "days": 3, "text": "Your order is on its way to you today."}'
RULES: Final[dict[str, dict[str, Any]]] = {
    "content_safety": {"prohibited": ["password", "token", "as a language model"]},
    "content_coverage": {"required": ["shipped", "order"]},
    "regex_match": {"pattern": '"days": [0-9]+'},
    "response_schema": {
        "json_schema": {"type": "object", "required": ["status"], "properties": {"days": {"type": "integer"}}}
    },
    "forbidden_tools": {"tools": ["delete_*", "refund_all"]},
    "required_tools": {"tools": ["tool_0", "tool_1"]},
    "call_counts": {"tools": {"tool_*": {"min": 1, "max": 100}}},
    "tool_order": {"before": [["tool_0", "tool_1"]]},
    "approval": {"tools": ["tool_2"], "approved_by": ["tool_1"]},
    "thread_latency": {"max_seconds": 1000.0},
    "tokens": {"max": 10_000},
    "money": {"max_usd": 1.0},
    "latency": {"max_seconds": 100.0},
}
SCHEMA: Final = {
    "type": "object",
    "required": ["query"],
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}, "filters": {"type": "object"}},
    "additionalProperties": False,
}


def settings_of(names: list[str]) -> Settings:
    return read_settings({"rules": [{name: RULES.get(name, {})} for name in names]}, keys=THREAD_KEYS, source="")


def thread(number: int) -> ConversationThread:
    tools = [{"name": f"tool_{n}", "description": "", "parametersSchema": SCHEMA} for n in range(CALLS)]
    traces = []
    for turn in range(TURNS):
        calls = [
            call(f"tool_{n}", query=f"{number} {turn}", limit=n, filters={"sizes": [1, 2, 3]}) for n in range(CALLS)
        ]
        results = [{"role": "function", "name": f"tool_{n}", "content": '{"found": 3}'} for n in range(CALLS)]
        asked = {"role": "assistant", "content": None, "toolCalls": calls}
        round_ = {"history": [], "output": [asked, *results], "startTime": TIME, "endTime": TIME}
        traces.append(
            {
                "id": str(turn),
                "userMessage": {"role": "user", "content": f"question {turn}"},
                "iterations": [round_],
                "output": {"role": "assistant", "content": ANSWER},
                "tools": tools,
                "toolCalls": calls,
                "startTime": TIME,
                "endTime": "2026-08-01T09:00:02Z",
            }
        )
    return ConversationThread.model_validate(
        {"id": str(number), "traces": traces, "expected_final_state": {"cart": {"items": [1, 2, 3]}}}
    )


@pytest.fixture(scope="module")
def replays() -> list[ThreadReplay]:
    made = []
    for number in range(THREADS):
        one = thread(number)
        turns = [
            TurnReplay(place, trace, trace.model_copy(update={"usage": Usage(500, 50, cost_usd=0.01)}))
            for place, trace in enumerate(one.traces, start=1)
        ]
        made.append(ThreadReplay(one, "s", tuple(turns), final_state={"cart": {"items": [1, 2, 3]}, "paid": True}))
    return made


def judged(replays: list[ThreadReplay], settings: Settings) -> None:
    for replayed in replays:
        result = judge(replayed, settings)
        assert result.outcome is Outcome.PASSED, result


def test_all_rules(compare: Comparison, replays: list[ThreadReplay]) -> None:
    pytest.importorskip("rouge_score")
    names = [name for name in BUILT_IN if (rule := find_rule(name)) is not None and not rule.needs_judge]
    compare(
        f"all {len(names)} rules that ask no judge",
        lambda: judged(replays, settings_of(names)),
        reference="tool trajectory, arguments and answers by their schemas",
        against=lambda: judged(replays, settings_of(["tool_trajectory", "valid_arguments", "response_schema"])),
        at_most=3,
    )
