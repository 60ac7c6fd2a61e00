"""Hypothesis strategies for documents in the native shape."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.just(10**30)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=2)
TIMES = st.sampled_from(
    ["2026-08-01T09:00:00Z", "2026-08-01t09:00:00.25+02:00", [0, 0.5], [1_785_574_802, 0.0], [-1, 0.25], [5, 0]]
)
MAYBE_NAMED: dict[str, Any] = {"name": TEXT}
CALLS = st.fixed_dictionaries({"name": TEXT}, optional={"arguments": st.none() | OBJECTS, "id": TEXT})
SYSTEM = st.fixed_dictionaries({"role": st.just("system"), "content": TEXT}, optional=MAYBE_NAMED)
USER = st.fixed_dictionaries({"role": st.just("user"), "content": TEXT}, optional=MAYBE_NAMED)
ASSISTANT = st.fixed_dictionaries(
    {"role": st.just("assistant")},
    optional={"content": st.none() | TEXT, "name": TEXT, "toolCalls": st.none() | st.lists(CALLS, max_size=2)},
)
FUNCTION = st.fixed_dictionaries(
    {"role": st.just("function"), "name": TEXT}, optional={"content": st.none() | TEXT, "id": TEXT}
)
OUTPUTS = ASSISTANT | FUNCTION | TEXT
ITERATIONS = st.fixed_dictionaries(
    {
        "history": st.lists(SYSTEM | USER | ASSISTANT | FUNCTION, max_size=3),
        "output": OUTPUTS | st.lists(OUTPUTS, max_size=2),
        "startTime": TIMES,
        "endTime": TIMES,
    }
)
TOOLS = st.fixed_dictionaries({"name": TEXT, "description": TEXT}, optional={"parametersSchema": OBJECTS})
TRACES = st.fixed_dictionaries(
    {
        "id": TEXT,
        "userMessage": USER,
        "iterations": st.lists(ITERATIONS, max_size=2),
        "output": ASSISTANT | TEXT,
        "tools": st.lists(TOOLS, max_size=1),
        "startTime": TIMES,
        "endTime": TIMES,
    },
    optional={"toolCalls": st.lists(CALLS, max_size=2)},
)
ARGUMENTS = st.fixed_dictionaries({}, optional={"policy": st.just("exact"), "case_sensitive": st.booleans()})
THREAD_EVALUATIONS = st.fixed_dictionaries(
    {},
    optional={
        "match_mode": st.sampled_from(["STRICT", "IN_ORDER", "UNORDERED", "SUBSET", "SUPERSET"]),
        "repeats": st.sampled_from(["count", "ignore"]),
        "arguments": ARGUMENTS,
        "must_pass": st.booleans(),
        "turn_timeout": st.sampled_from([0, 1.5, 600]),
    },
)
ROOT_EVALUATIONS = st.fixed_dictionaries(
    {},
    optional={
        "match_mode": st.sampled_from(["STRICT", "SUPERSET"]),
        "arguments": ARGUMENTS,
        "min_pass_rate": st.sampled_from([0, 1, 0.7]),
        "min_macro_f1": st.sampled_from([0, 1, 0.85]),
    },
)
THREADS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"id": TEXT, "traces": st.lists(TRACES, max_size=2)},
    optional={
        "name": TEXT,
        "description": TEXT,
        "created_on": JSON,
        "evaluation": THREAD_EVALUATIONS,
        "tags": st.lists(TEXT, max_size=2),
        "initial_state": OBJECTS,
        "extras": JSON,
    },
)
EVAL_SETS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"id": TEXT, "threads": st.lists(THREADS, max_size=2, unique_by=lambda thread: thread["id"])},
    optional={
        "name": TEXT,
        "description": TEXT,
        "created_on": JSON,
        "evaluation": ROOT_EVALUATIONS,
        "model_extra": JSON,
    },
)
"""Valid documents in the native shape."""
