"""Rules by name: which there are, what may be stated about them, and what is said about what may not."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory import rules
from trajectory.chosen_rules import ChosenRule, read_rule_text, read_rules
from trajectory.described import descriptions
from trajectory.errors import ConfigurationError
from trajectory.rules import BUILT_IN, RuleSettings, find_rule, rule
from trajectory.settings import THREAD_KEYS, Settings, SettingsError, merge, read_settings

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.usefixtures("own_rules")


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_rule_is_where_it_is_said_to_be(name: str) -> None:
    found = find_rule(name)
    assert found is not None
    assert (found.name, found.judge.__module__) == (name, BUILT_IN[name])
    assert issubclass(found.settings, RuleSettings)
    assert rules.summary(found).endswith(".")
    assert descriptions(found.settings).keys() == found.settings.model_fields.keys()


def test_without_a_word_the_tool_trajectory_is_the_rule() -> None:
    assert Settings().rules == (ChosenRule("tool_trajectory", RuleSettings()),)


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ([], "x/rules: expected a list of at least one rule, found an empty array"),
        (None, "x/rules: expected a list of at least one rule, found null"),
        ("length", 'x/rules: expected a list of at least one rule, found the string "length"'),
        ({"length": {}}, "x/rules: expected a list of at least one rule, found an object with the keys length"),
        (
            [3],
            "x/rules/0: expected the name of a rule, or an object with one name and the settings, found the number 3",
        ),
        ([{}], "x/rules/0: expected the name of a rule, or an object with one name and the settings, found an empty"),
        ([{"length": {}, "latency": {}}], "x/rules/0: expected the name of a rule, or an object with one name and"),
        (
            ["lenght"],
            "x/rules/0: expected the name of a rule, found the unknown rule 'lenght' (did you mean 'length'?)",
        ),
        ([{"lenght": {}}], "x/rules/0/lenght: expected the name of a rule, found the unknown rule 'lenght' (did you"),
        (["zzz"], "found the unknown rule 'zzz' (there are tool_trajectory, exact_match, "),
        ([""], "found the unknown rule ''"),
        (["length", {"length": {"max": 3}}], "x/rules/1: expected each rule once, found the rule 'length' again"),
        ([{"length": 3}], "x/rules/0/length: expected an object with the settings of length, found the number 3"),
        ([{"length": {"mx": 3}}], "x/rules/0/length/mx: expected a settings key, found the unknown key 'mx' (did you"),
        ([{"length": {"min": 5, "max": 3}}], "x/rules/0/length: expected min to be at most max (5 is above 3), found"),
        ([{"length": {"min": -1}}], "x/rules/0/length/min: expected a number greater than or equal to 0, found"),
        ([{"length": {"min": True}}], "x/rules/0/length/min: expected a whole number, found true"),
        ([{"length": {"min": 1.5}}], "x/rules/0/length/min: expected a whole number, found the number 1.5"),
        ([{"exact_match": {"case_sensitive": 1}}], "x/rules/0/exact_match/case_sensitive: expected a valid boolean"),
        (
            ["content_safety"],
            "x/rules/0: expected the setting 'prohibited', which has no default, found an empty object",
        ),
        ([{"content_safety": {"prohibited": []}}], "/prohibited: expected at least one item, found an empty array"),
        ([{"content_safety": {"prohibited": ["a", ""]}}], "/prohibited/1: expected a text that is not empty, found"),
        ([{"content_safety": {"prohibited": "abc"}}], "/prohibited: expected an array, found the string"),
        (
            [{"content_coverage": {"required": [""]}}],
            "/required/0: expected a text that is not empty, found the string",
        ),
        ([{"regex_match": {"pattern": "("}}], "/pattern: expected a regular expression of Python's re (missing ),"),
        ([{"regex_match": {"pattern": ""}}], "/pattern: expected a text that is not empty"),
        ([{"response_schema": {"json_schema": {"type": "x"}}}], "/json_schema: expected a JSON Schema (Draft 2020-12)"),
        ([{"response_schema": {"json_schema": {"$ref": "#/x"}}}], "(the reference '#/x' leads nowhere"),
        ([{"response_schema": {"json_schema": []}}], "/json_schema: expected an object, found an empty array"),
        (["tool_order"], "x/rules/0: expected before, last, or both to state something, found an empty object"),
        ([{"tool_order": {"before": [["a"]]}}], "/before/0: expected 2 items, found an array of 1 item"),
        ([{"call_counts": {"tools": {}}}], "/tools: expected at least one item, found an empty object"),
        ([{"call_counts": {"tools": {"a": {}}}}], "/tools/a: expected a min above 0, a max, or both, found an empty"),
        ([{"call_counts": {"tools": {"a": {"mox": 1}}}}], "found the unknown key 'mox' (did you mean 'max'?)"),
        ([{"iterations": {"max": 0}}], "/max: expected a number greater than or equal to 1, found the number 0"),
        ([{"latency": {"max_seconds": 0}}], "/max_seconds: expected a number greater than 0, found the number 0"),
        (["thread_latency"], "expected the setting 'max_seconds', which has no default"),
        (
            [{"tool_trajectory": {"match_mode": "STRICT"}}],
            "/match_mode: expected a settings key, found the unknown key",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(stated: Any, message: str) -> None:
    with pytest.raises(SettingsError) as raised:
        read_settings({"rules": stated}, keys=THREAD_KEYS, source="x")
    assert message in str(raised.value)
    assert len(raised.value.problems) == 1


def test_all_problems_are_said_together() -> None:
    with pytest.raises(SettingsError) as raised:
        read_settings({"rules": ["a", {"length": {"b": 1, "c": 2}}], "d": 1}, keys=THREAD_KEYS, source="")
    assert [problem[0] for problem in raised.value.problems] == [
        "/d",
        "/rules/0",
        "/rules/1/length/b",
        "/rules/1/length/c",
    ]


def test_a_stronger_source_replaces_the_rules_of_a_weaker_one() -> None:
    stronger, weaker = (
        read_settings({"rules": stated}, keys=THREAD_KEYS, source="")
        for stated in (["length"], ["latency", "iterations"])
    )
    assert [chosen.name for chosen in merge(stronger, weaker).rules] == ["length"]
    assert [chosen.name for chosen in merge(Settings(), weaker).rules] == ["latency", "iterations"]


# ---------------------------------------------------------------------------------------------------- the command line


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("length", "length"),
        (" length ", "length"),
        ("length:", {"length": {}}),
        ("length:min=1,max=3", {"length": {"min": 1, "max": 3}}),
        ("length: min = 1 , max = 3 ", {"length": {"min": 1, "max": 3}}),
        ("exact_match:case_sensitive=false", {"exact_match": {"case_sensitive": False}}),
        ("content_safety:prohibited=password", {"content_safety": {"prohibited": ["password"]}}),
        (
            'content_safety:prohibited=["a,b", "c"],case_sensitive=true',
            {"content_safety": {"prohibited": ["a,b", "c"], "case_sensitive": True}},
        ),
        ("regex_match:pattern=12", {"regex_match": {"pattern": "12"}}),
        ("regex_match:pattern=a=b:c", {"regex_match": {"pattern": "a=b:c"}}),
        ('regex_match:pattern="a{1,2}",full=true', {"regex_match": {"pattern": "a{1,2}", "full": True}}),
        ("regex_match:pattern=[a-z]+", {"regex_match": {"pattern": "[a-z]+"}}),
        ('call_counts:tools={"a": {"max": 1}}', {"call_counts": {"tools": {"a": {"max": 1}}}}),
        ("nowhere:a=b,c=1", {"nowhere": {"a": "b", "c": 1}}),
    ],
)
def test_a_rule_as_it_stands_on_a_command_line(text: str, stated: object) -> None:
    assert read_rule_text(text) == stated


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("length:min", "expected NAME:KEY=VALUE,..., found 'min' without a value"),
        ("length:min=1,max", "found 'max' without a value"),
        ("length:=1", "found '' without a value"),
        ("length:min=1,min=2", "the setting 'min' is stated twice"),
    ],
)
def test_a_text_that_is_no_rule(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        read_rule_text(text)
    assert message in str(raised.value)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        stated = read_rule_text("length:" + text)
    except ConfigurationError:
        return
    read_rules([stated])


# ------------------------------------------------------------------------------------------------------ rules of others


def test_a_decorated_function_is_a_rule_and_stays_a_function() -> None:
    @rule("polite")
    def polite(expected: Any, actual: Any, settings: Any) -> str:
        return "called"

    assert polite(1, 2, 3) == "called"
    found = find_rule("polite")
    assert found is not None
    assert found.judge is polite
    assert read_rules(["polite"]) == ((ChosenRule("polite", RuleSettings()),), [])
    assert "did you mean 'polite'?" in read_rules(["polte"])[1][0]


@pytest.mark.parametrize("name", ["", "Polite", "po-lite", "1a", "é", "a b", "a\n"])
def test_a_name_that_cannot_be_one(name: str) -> None:
    with pytest.raises(ConfigurationError, match="rule name: expected lower-case letters, digits and underscores"):
        rule(name)


@pytest.mark.parametrize("name", ["length", "exact_match"])
def test_a_name_that_is_taken(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"'{name}', given in {__name__}, is that of a rule in trajectory"):
        rule(name)(lambda: None)


def test_a_module_may_be_imported_again() -> None:
    for _ in range(2):
        rule("polite")(lambda: None)


PLUGIN = "from trajectory.rules import rule\n@rule('{name}')\ndef judge(expected, actual, settings): ...\n"


def offer(monkeypatch: pytest.MonkeyPatch, folder: Path, module: str, text: str) -> None:
    (folder / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(rules, "entry_points", lambda group: [EntryPoint("offered", f"{module}:judge", group)])
    rules._offered.cache_clear()


def test_a_rule_of_another_distribution_is_imported_when_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    offer(monkeypatch, tmp_path, "offering", PLUGIN.format(name="offered"))
    assert "offered" in rules.rule_names()
    assert find_rule("length") is not None
    assert "offering" not in sys.modules
    found = find_rule("offered")
    assert found is not None
    assert found.judge.__module__ == "offering"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLUGIN.format(name="another"), "the rule 'offered' is offered by broken:judge, which registers no such rule"),
        ("1 / 0", r"the rule 'offered' \(broken:judge\) cannot be imported: ZeroDivisionError"),
    ],
)
def test_a_broken_rule_of_another_distribution(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, message: str
) -> None:
    offer(monkeypatch, tmp_path, "broken", text)
    with pytest.raises(ConfigurationError, match=message):
        find_rule("offered")
