"""The tables of the reference cannot drift from the code."""

from __future__ import annotations

import re

import pytest

import trajectory
from tests.docs.pages import ROOT, table_rows
from trajectory import ArgumentPolicy, match_trajectory
from trajectory.chosen_rules import ChosenRule
from trajectory.cli.main import _COMMANDS
from trajectory.recordings.formats import FORMATS
from trajectory.recordings.formats.about import ABOUT, formats_table
from trajectory.setting_options import SETTING_OPTIONS, SettingOption
from trajectory.settings import EVAL_SET_KEYS, THREAD_KEYS, Settings, Tolerance

REFERENCE = ROOT / "docs" / "reference"
SETTINGS = (REFERENCE / "settings.md").read_text("utf-8")
ROWS = [row for row in table_rows(SETTINGS) if len(row) == 6]
API = (REFERENCE / "python-api.md").read_text("utf-8")
MODES = [row for row in table_rows((REFERENCE / "matching.md").read_text("utf-8")) if len(row) == 7]
NO_CALLS = "\N{EN DASH}"


def _word(cell: str) -> str:
    found = re.match(r"`([^`]+)`", cell)
    return found[1] if found else ""


def _key(option: SettingOption) -> str:
    """The key of an option in an eval set, where one may stand there."""
    return option.key if option.key.split(".")[0] in {*EVAL_SET_KEYS, *THREAD_KEYS} else ""


def test_every_option_has_its_row() -> None:
    rows = [(_word(row[2]), _word(row[3]), _word(row[4])) for row in ROWS if _word(row[2])]
    assert rows == [(option.flag, option.ini, _key(option)) for option in SETTING_OPTIONS]


def test_every_option_says_whether_it_may_be_repeated() -> None:
    assert {_word(row[2]) for row in ROWS if "repeatable" in row[2]} == {
        o.flag for o in SETTING_OPTIONS if o.repeatable
    }


def test_every_key_stands_where_the_table_says() -> None:
    stated = {(_word(row[4]).split(".")[0], place) for row in ROWS for place in row[5].split(", ") if _word(row[4])}
    assert stated == {(key, "root") for key in EVAL_SET_KEYS} | {(key, "thread") for key in THREAD_KEYS}


def test_every_setting_has_a_row() -> None:
    keys = {_word(row[4]) for row in ROWS} | {option.key for option in SETTING_OPTIONS}
    expected = {key for key in Settings.model_fields if key != "arguments"}
    expected |= {f"arguments.{key}" for key in ArgumentPolicy.model_fields}
    assert keys - {""} == expected


@pytest.mark.parametrize("option", SETTING_OPTIONS, ids=lambda option: option.flag)
def test_defaults(option: SettingOption) -> None:
    row = next(row for row in ROWS if _word(row[2]) == option.flag)
    value: object = Settings()
    for step in option.key.split("."):
        value = getattr(value, step)
    shown = row[1].rpartition("; ")[2].strip("`")
    assert shown == (_default(value) if value is not None else "all" if option.key == "pass_runs" else "none")


def _default(value: object) -> str:
    """Write a default as the table does."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case Tolerance() | ():
            return "none"
        case (ChosenRule() as rule,):
            return rule.name
        case _:
            return str(value)


def test_the_page_on_the_api_names_every_public_name() -> None:
    assert [name for name in trajectory.__all__ if f"`{name}`" not in API and f"### {name}\n" not in API] == []


def test_the_page_on_the_command_line_names_every_command() -> None:
    rows = table_rows((REFERENCE / "command-line.md").read_text("utf-8"))
    assert [row[0].split()[1].strip("`") for row in rows] == sorted(_COMMANDS)


def test_the_page_on_formats_is_generated_from_the_registry() -> None:
    page = (REFERENCE / "formats.md").read_text("utf-8")
    names = ["native", *(known.name for known in FORMATS)]
    assert formats_table(names) in page
    assert set(ABOUT) == set(names)


@pytest.mark.parametrize("row", MODES, ids=lambda row: f"{row[0]} against {row[1]}")
def test_the_truth_table(row: list[str]) -> None:
    expected, actual = ([{"name": name} for name in cell.split() if name != NO_CALLS] for cell in row[:2])
    modes = ("STRICT", "IN_ORDER", "UNORDERED", "SUBSET", "SUPERSET")
    assert [match_trajectory(expected, actual, mode).passed for mode in modes] == [cell == "pass" for cell in row[2:]]
