"""The page on judges has the settings of the code."""

from __future__ import annotations

import json

from tests.docs.pages import ROOT, table_rows
from trajectory.described import descriptions
from trajectory.judges.settings import JudgeSettings
from trajectory.pytest_plugin.options import JUDGE_KEYS

PAGE = (ROOT / "docs" / "reference" / "judges.md").read_text("utf-8")


def test_every_key_has_its_row() -> None:
    rows = [
        [
            f"`{key}`",
            "must be stated"
            if field.is_required()
            else "none"
            if field.default is None
            else f"`{json.dumps(field.default)}`",
            descriptions(JudgeSettings)[key],
        ]
        for key, field in JudgeSettings.model_fields.items()
    ]
    assert table_rows(PAGE.partition("## An OpenAI")[2]) == rows


def test_every_key_is_an_ini_option() -> None:
    assert tuple(JudgeSettings.model_fields) == JUDGE_KEYS
