"""The page on rules names every rule; its tables of settings are generated from the models of the settings."""

from __future__ import annotations

import pytest

from tests.docs.rule_tables import PAGE, SECTION, settings_table, up_to_date
from trajectory.rules import BUILT_IN, find_rule, summary

TEXT = PAGE.read_text("utf-8")
SECTIONS = {match[1]: match[2] for match in SECTION.finditer(TEXT)}


def test_every_rule_has_a_section_and_no_other_has() -> None:
    assert set(SECTIONS) == set(BUILT_IN)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_section_says_what_the_code_says(name: str) -> None:
    found = find_rule(name)
    assert found is not None
    section = SECTIONS[name]
    assert summary(found) in section
    assert ("For the thread" in section) is found.whole_thread
    assert settings_table(name) in section
    assert ("| setting |" in section) is bool(settings_table(name))


def test_the_tables_are_up_to_date() -> None:
    assert up_to_date(TEXT) == TEXT, "run python -m tests.docs.rule_tables"
