"""The way that the pages on sources describe: a good run becomes an eval set, and a later run is green against it."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT
from trajectory import eval_set_of, load_recordings, save_eval_set

if TYPE_CHECKING:
    from pathlib import Path

PAGES = sorted((ROOT / "docs" / "how-to").glob("from-*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_from_traces_to_green_and_to_red(page: Path, pytester: pytest.Pytester) -> None:
    text = page.read_text(encoding="utf-8")
    source = ROOT / re.search(r'load_recordings\("(.+?)"\)', text)[1]  # type: ignore[index]
    command = re.search(r"\$ pytest (.+)", text)[1].split()  # type: ignore[index]
    shutil.copy(source, pytester.path / source.name)
    good = load_recordings(source)
    eval_set = eval_set_of(good.threads, id="good")
    save_eval_set(eval_set, pytester.path / "good.evalset.json")
    assert pytester.runpytest("-p", "no:cacheprovider", *command).ret == pytest.ExitCode.OK
    thread = eval_set.threads[0]
    calls = thread.traces[0].trajectory
    other = thread.traces[0].model_copy(update={"tool_calls": calls[1:], "iterations": ()})
    changed = eval_set.model_copy(
        update={"threads": (thread.model_copy(update={"traces": (other, *thread.traces[1:])}),)}
    )
    save_eval_set(changed, pytester.path / "good.evalset.json")
    assert pytester.runpytest("-p", "no:cacheprovider", *command).ret == pytest.ExitCode.TESTS_FAILED
