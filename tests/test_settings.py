"""Sources of settings: how they are read, refused, and laid over each other."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.errors import ConfigurationError
from trajectory.settings import (
    EVAL_SET_KEYS,
    THREAD_KEYS,
    ArgumentPolicy,
    MatchMode,
    Settings,
    SettingsError,
    merge,
    read_settings,
)

ALL = tuple(Settings.model_fields)


def read(**stated: Any) -> Settings:
    return read_settings(stated, keys=ALL, source="here")


# ---------------------------------------------------------------------------------------------------------- match mode


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("STRICT", MatchMode.STRICT),
        ("strict", MatchMode.STRICT),
        ("in-order", MatchMode.IN_ORDER),
        (" In_Order ", MatchMode.IN_ORDER),
        (MatchMode.SUBSET, MatchMode.SUBSET),
    ],
)
def test_a_mode_as_people_type_it(text: str, mode: MatchMode) -> None:
    assert MatchMode.parse(text) is mode


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("STRCT", r"found the string \"STRCT\" \(did you mean 'STRICT'\?\)"),
        ("", 'match mode: expected one of .* found the string ""$'),
        ("exact", "match mode: expected one of STRICT, IN_ORDER, UNORDERED, SUBSET, SUPERSET, found"),
        ("mro", 'found the string "mro"$'),
        (5, "found the number 5$"),
        (None, "found null$"),
        (True, "found true$"),
    ],
)
def test_a_mode_that_does_not_exist(text: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        MatchMode.parse(text)


# ------------------------------------------------------------------------------------------------------------- reading


def test_only_what_is_stated_is_set() -> None:
    settings = read(match_mode="SUBSET", arguments={"case_sensitive": False})
    assert settings.model_fields_set == {"match_mode", "arguments"}
    assert settings.arguments.model_fields_set == {"case_sensitive"}
    assert read().model_fields_set == set()


@pytest.mark.parametrize("rate", [0, 1, 0.7, Decimal("0.7"), Decimal("1e-3"), 0.1])
def test_a_rate_is_kept_as_it_is_written(rate: Any) -> None:
    assert read(min_pass_rate=rate).min_pass_rate == Decimal(str(rate).strip())


@given(st.integers(0, 10**6))
def test_a_rate_of_a_file_is_the_decimal_that_stands_there(millionths: int) -> None:
    rate = Decimal(millionths) / 10**6
    assert read(min_pass_rate=float(rate)).min_pass_rate == rate


@pytest.mark.parametrize(
    "rate",
    [
        80,
        1.2,
        -0.1,
        float("nan"),
        float("inf"),
        "0.7",
        "nan",
        "80 %",
        "",
        "x",
        True,
        None,
        [1],
        "9" * 5000,
        pytest.param(10**5000, id="huge"),
    ],
)
def test_what_is_no_rate(rate: Any) -> None:
    with pytest.raises(SettingsError, match=r"here/min_pass_rate: expected a number from 0 to 1, such as 0\.9, found"):
        read(min_pass_rate=rate)


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"match_mod": "STRICT"}, r"here/match_mod: expected a settings key, .* \(did you mean 'match_mode'\?\)"),
        ({"zzz": 1}, "the unknown key 'zzz' .there are match_mode, "),
        ({"match_mode": "STRCT"}, "here/match_mode: expected one of STRICT, .*did you mean 'STRICT'"),
        ({"match_mode": None}, "here/match_mode: expected one of STRICT, .*, found null"),
        ({"repeats": "cout"}, "here/repeats: expected one of count, ignore, found .*did you mean 'count'"),
        ({"repeats": True}, "here/repeats: expected one of count, ignore, found true"),
        ({"max_errors": -1}, "here/max_errors: expected a number greater than or equal to 0, found the number -1"),
        ({"max_errors": "1"}, "here/max_errors: expected a whole number, found the string"),
        ({"max_errors": 1.0}, "here/max_errors: expected a whole number"),
        ({"max_errors": True}, "here/max_errors: expected a whole number, found true"),
        ({"must_pass": "yes"}, "here/must_pass: expected a valid boolean"),
        ({"must_pass": 1}, "here/must_pass: expected a valid boolean"),
        ({"turn_timeout": -1}, "here/turn_timeout: expected a number greater than or equal to 0"),
        ({"turn_timeout": "soon"}, "here/turn_timeout: expected a number"),
        ({"turn_timeout": True}, "here/turn_timeout: expected a number, found true"),
        ({"turn_timeout": None}, "here/turn_timeout: expected a number, found null"),
        ({"turn_timeout": float("inf")}, "here/turn_timeout: expected a finite number"),
        ({"turn_timeout": float("nan")}, "here/turn_timeout: expected a finite number"),
        ({"arguments": "ignore"}, "here/arguments: expected an object, found the string"),
        ({"arguments": {"polcy": "ignore"}}, "here/arguments/polcy: .* .did you mean 'policy'"),
        ({"a/b": 1}, "here/a~1b: expected a settings key"),
    ],
)
def test_what_cannot_be_carried_out_is_refused_with_its_place(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read(**stated)


@pytest.mark.parametrize("seconds", [0, 5, 0.5])
def test_seconds(seconds: Any) -> None:
    assert read(turn_timeout=seconds).turn_timeout == float(seconds)


def test_all_problems_are_told_together() -> None:
    with pytest.raises(SettingsError) as caught:
        read(match_mod="STRICT", repeats="cout", arguments={"policy": "superst", "case_sensitive": "no"})
    assert [problem[0] for problem in caught.value.problems] == [
        "/match_mod",
        "/repeats",
        "/arguments/policy",
        "/arguments/case_sensitive",
    ]
    assert len(str(caught.value).splitlines()) == 4


@pytest.mark.parametrize(
    ("key", "keys"),
    [
        ("must_pass", EVAL_SET_KEYS),
        ("min_pass_rate", THREAD_KEYS),
        ("min_macro_f1", THREAD_KEYS),
        ("max_errors", THREAD_KEYS),
    ],
)
def test_a_key_in_the_wrong_place_is_unknown_there(key: str, keys: tuple[str, ...]) -> None:
    with pytest.raises(SettingsError, match=f"the unknown key '{key}'"):
        read_settings({key: 1}, keys=keys, source="here")


def test_every_key_of_a_file_is_a_setting() -> None:
    assert {*THREAD_KEYS, *EVAL_SET_KEYS} <= set(ALL)


# ------------------------------------------------------------------------------------------------------------- merging


def test_the_strongest_source_wins_key_by_key() -> None:
    merged = merge(read(match_mode="SUBSET"), read(match_mode="SUPERSET", repeats="ignore"), read(max_errors=3))
    assert (merged.match_mode, merged.repeats, merged.max_errors) == (MatchMode.SUBSET, "ignore", 3)


def test_what_nobody_states_has_its_default() -> None:
    assert merge().model_dump() == Settings().model_dump()
    assert merge(Settings(), read()).model_dump() == Settings().model_dump()


def test_a_default_that_is_stated_wins() -> None:
    assert merge(read(match_mode="STRICT"), read(match_mode="SUBSET")).match_mode is MatchMode.STRICT
    assert merge(read(must_pass=False), read(must_pass=True)).must_pass is False


def test_argument_policies_are_merged_inside() -> None:
    strong = read(arguments={"case_sensitive": False})
    weak = read(arguments={"policy": "subset", "case_sensitive": True})
    merged = merge(strong, weak).arguments
    assert (merged.policy, merged.case_sensitive) == ("subset", False)
    assert merge(Settings(arguments=ArgumentPolicy(policy="ignore")), weak).arguments.policy == "ignore"


SOURCES = st.fixed_dictionaries(
    {},
    optional={
        "match_mode": st.sampled_from(MatchMode),
        "repeats": st.sampled_from(["count", "ignore"]),
        "max_errors": st.integers(0, 5),
        "arguments": st.fixed_dictionaries(
            {}, optional={"policy": st.sampled_from(["exact", "ignore"]), "case_sensitive": st.booleans()}
        ),
    },
)


@given(SOURCES, SOURCES, SOURCES)
def test_merging_is_associative(first: Any, second: Any, third: Any) -> None:
    one, two, three = (Settings.model_validate(stated) for stated in (first, second, third))
    whole = merge(one, two, three)
    assert whole.model_dump() == merge(one, merge(two, three)).model_dump()
    assert whole.model_dump() == merge(whole, one).model_dump()
