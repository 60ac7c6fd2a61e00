"""Hypothesis strategies that produce near-misses often: almost equal values, calls and trajectories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from trajectory import ArgumentPolicy, MalformedArguments, MatchMode, ToolCall

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

BIG = 2**53

NUMBERS = (0, 1, 1.0, -0.0, 0.3, 0.1 + 0.2, BIG, BIG + 1, float(BIG), 10**400)
TEXTS = (
    "",
    "1",
    "0",
    "true",
    "null",
    "a",
    "A",
    "Ab",
    "aB",
    "é",
    "É",
    "ß",
    "ss",
    "K",
    "\u212a",
    "k",
    "\u0130",
    "\ud800",
)
SCALARS = st.sampled_from([None, True, False, *NUMBERS, *TEXTS])
KEYS = st.sampled_from(["a", "A", "b", "é"])

JSON: SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(KEYS, children, max_size=2),
    max_leaves=5,
)
ARGUMENTS = st.dictionaries(KEYS, SCALARS, max_size=2) | st.dictionaries(KEYS, JSON, max_size=2)
IDS = st.sampled_from([None, "1", "2"])
NAMES = st.sampled_from(["f", "f", "F", "g", "é", "É"])

CALLS = st.builds(ToolCall, name=NAMES, arguments=ARGUMENTS, id=IDS)
MALFORMED_CALLS = st.builds(
    ToolCall, name=NAMES, arguments=st.just(MalformedArguments(text="{", reason="the text is not JSON")), id=IDS
)

MODES = st.sampled_from(MatchMode)

LOOSER = {
    "policy": st.sampled_from(["exact", "ignore", "subset", "superset"]),
    "case_sensitive": st.booleans(),
    "ignore_paths": st.sampled_from([(), ("/b",), ("/a",), ("/*/a", "/b/*"), ("/b/0",), ("/A/*/b",)]),
    "tolerance": st.sampled_from([{}, {"relative": 0.5}, {"absolute": 1}]),
}
TOOL_POLICIES = st.fixed_dictionaries({}, optional=LOOSER)
EXACT_POLICIES = st.builds(ArgumentPolicy, case_sensitive=st.booleans())
POLICIES = EXACT_POLICIES | st.fixed_dictionaries(
    {**LOOSER, "tools": st.dictionaries(st.sampled_from(["f", "g"]), TOOL_POLICIES, max_size=1)}
).map(ArgumentPolicy.model_validate)
REPEATS = st.sampled_from(["count", "ignore"])


def near(value: Any) -> list[Any]:
    """List values that are equal to this one, or nearly."""
    if isinstance(value, dict):
        return [
            dict(reversed(value.items())),
            {key.swapcase(): item for key, item in value.items()},
            {**value, "b": None},
            *({**value, key: other} for key, item in value.items() for other in near(item)),
        ]
    if isinstance(value, list):
        nearly = [
            [*value[:place], other, *value[place + 1 :]] for place, item in enumerate(value) for other in near(item)
        ]
        return [value[::-1], [*value, None], *nearly]
    if isinstance(value, str):
        return [value.swapcase(), value + " "]
    if isinstance(value, bool) or value is None:
        return [int(value or 0), str(value).lower()]
    return [str(value)[:9], bool(value), value + 1, *([float(value), int(value)] if abs(value) <= BIG else [])]


@st.composite
def near_calls(draw: st.DrawFn, call: ToolCall) -> ToolCall:
    """A call that is equal to this one, or nearly."""
    name = draw(st.sampled_from([call.name, call.name, call.name.swapcase()]))
    return ToolCall(name=name, arguments=draw(st.sampled_from([call.arguments, *near(call.arguments)])), id=draw(IDS))


@st.composite
def pairs(draw: st.DrawFn, *, malformed: bool = False, max_size: int = 5) -> tuple[list[ToolCall], list[ToolCall]]:
    """Two trajectories of the same few calls, so that repeats and equal calls are common."""
    some = draw(st.lists(CALLS | MALFORMED_CALLS if malformed else CALLS, min_size=1, max_size=2))
    pool = some + [draw(near_calls(call)) for call in some[:1] if isinstance(call.arguments, dict)]
    expected = draw(st.lists(st.sampled_from(pool), max_size=max_size))
    again = st.lists(st.sampled_from(expected or pool), max_size=max_size)
    actual = draw(st.permutations(expected) | again | st.lists(st.sampled_from(pool), max_size=max_size))
    return expected, list(actual)
