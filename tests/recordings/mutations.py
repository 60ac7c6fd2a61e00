"""Ways to damage a recording: its values, and its bytes."""

from __future__ import annotations

import copy
import gzip
import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable


def nested(levels: int) -> list[Any]:
    """Make a list of lists, so many levels deep."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, -0.0, 1e308, 10**30, 10**400),
    *("", "text", "5", "9" * 5000, "\x00", "\ud800", "[]", "{}", "{oops", '{"a": 1, "a": 2}', '{"a": NaN}'),
    *("[" * 3000, '{"a":' * 300, "{'a': " * 300, "(" * 300, "ResponseFunctionToolCall(" + "(" * 300),
    *("9999-12-31T23:59:59.999999999-12:00", "0001-01-01T00:00:00+12:00", "2026-13-01", "99999999999999999999"),
    *([], {}, [None], [[]], [{}], [5], ["x"], {"a": 1}, {"": None}, nested(150)),
    *({"role": "user"}, {"type": "text"}, {"content": [{"type": "tool_use"}]}),
)
PIECES = (b"NaN", b"\x00", b"\xff", b'"a": 1, "a": 2,', b'"\\ud800"', b"\n", b"[", b"{", b"}", b"9" * 5000, b"[" * 400)


def _delete(parent: Any, key: Any, _: Any) -> None:
    del parent[key]


def _again(parent: Any, key: Any, _: Any) -> None:
    if isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    else:
        parent[f"{key}s"] = copy.deepcopy(parent[key])


def _retype(parent: Any, key: Any, junk: Any) -> None:
    parent[key] = copy.deepcopy(junk)


def _wrap(parent: Any, key: Any, junk: Any) -> None:
    parent[key] = [parent[key]] if isinstance(junk, list | None) else {"value": parent[key]}


def _unwrap(parent: Any, key: Any, _: Any) -> None:
    value = parent[key]
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ()
    for inner in inside[:1]:
        parent[key] = inner


def _write(parent: Any, key: Any, _: Any) -> None:
    parent[key] = json.dumps(parent[key])


def _truncate(parent: Any, key: Any, _: Any) -> None:
    if isinstance(parent[key], str | list):
        parent[key] = parent[key][: len(parent[key]) // 2]


def _reorder(parent: Any, _: Any, __: Any) -> None:
    if isinstance(parent, list):
        parent.reverse()
        return
    turned = dict(reversed(parent.items()))
    parent.clear()
    parent.update(turned)


Change = tuple["Callable[[Any, Any, Any], None]", int, Any]
CHANGES: st.SearchStrategy[list[Change]] = st.lists(
    st.tuples(
        st.sampled_from([_delete, _again, _retype, _retype, _wrap, _unwrap, _write, _truncate, _reorder]),
        st.integers(0, 10_000),
        st.sampled_from(JUNK),
    ),
    min_size=1,
    max_size=4,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """List every value inside of a value, as its container and its key there."""
    found: list[tuple[Any, Any]] = []
    containers = [value]
    for container in containers:
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, item in items:
            found.append((container, key))
            containers += [item] if isinstance(item, dict | list) else []
    return found


def changed(value: Any, changes: list[Change]) -> Any:
    """Give a copy of a value with changes made to it, at places that their numbers choose."""
    holder = [copy.deepcopy(value)]
    for change, number, junk in changes:
        known = places(holder)
        if known:
            change(*known[number % len(known)], junk)
    return holder[0] if holder else None


Damage = tuple[int, int, int, bytes]
DAMAGES: st.SearchStrategy[list[Damage]] = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 10**6), st.integers(1, 60), st.sampled_from(PIECES)),
    min_size=1,
    max_size=3,
)


def damaged(data: bytes, damages: list[Damage]) -> bytes:
    """Damage bytes: cut them off, flip a bit, leave some out, repeat some, put others in."""
    for kind, number, length, piece in damages:
        at = number % (len(data) + 1)
        flipped = bytes(byte ^ 1 << length % 8 for byte in data[at : at + 1])
        data = (
            data[:at],
            data[:at] + flipped + data[at + 1 :],
            data[:at] + data[at + length :],
            data[:at] + data[at : at + length] + data[at:],
            data[:at] + piece + data[at:],
        )[kind]
    return data


def packed(data: bytes) -> bytes:
    """Compress bytes, each time alike."""
    return gzip.compress(data, mtime=0)
