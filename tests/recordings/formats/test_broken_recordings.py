"""Recordings with something wrong in them: refused with a message, never with a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajectory.errors import EvalSetError
from trajectory.evalset.document import Document
from trajectory.recordings.containers import Content
from trajectory.recordings.detection import read_recording

FOLDER = Path(__file__).parents[3] / "fixtures" / "recordings"
FILES = sorted(file.name for file in FOLDER.iterdir() if file.is_file())
WRONG: st.SearchStrategy[Any] = st.sampled_from([None, 5, "text", [], {}, [5], {"a": 1}, [{}], [None], True])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in items for place in places(item, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], wrong: Any) -> Any:
    if not path:
        return wrong
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], wrong)
    return copy


def document_of(file: str) -> Any:
    text = (FOLDER / file).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()] if file.endswith("l") else json.loads(text)


@pytest.mark.parametrize("file", FILES)
@given(data=st.data())
@settings(max_examples=25)
def test_one_wrong_value(file: str, data: st.DataObject) -> None:
    value = document_of(file)
    path = data.draw(st.sampled_from(places(value)))
    broken = changed(value, path, data.draw(WRONG))
    try:
        read_recording(Content(file, (Document(file, "{}", broken),)))
    except EvalSetError as refused:
        reason = str(refused).rpartition("breaks it: ")[2]
        assert "expected" in reason, reason
        assert "found" in reason, reason
