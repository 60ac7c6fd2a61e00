"""The page on rules names every rule with its settings, their defaults and what they mean."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT, table_rows
from trajectory.rules import BUILT_IN, find_rule, summary

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

PAGE = (ROOT / "docs" / "reference" / "rules.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##)", PAGE, re.DOTALL | re.MULTILINE))


def test_every_rule_has_a_section_and_no_other_has() -> None:
    assert set(SECTIONS) == set(BUILT_IN)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_section_says_what_the_code_says(name: str) -> None:
    found = find_rule(name)
    assert found is not None
    section = SECTIONS[name]
    assert summary(found) in section
    assert ("For the thread" in section) is found.whole_thread
    rows = [[f"`{key}`", _default(field), field.description] for key, field in found.settings.model_fields.items()]
    assert table_rows(section) == rows


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "none, must be stated"
    return "none" if field.default in (None, ()) else f"`{json.dumps(field.default)}`"
