"""What an argument policy may state, how it is refused, and how sources of it are laid over each other."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from trajectory.settings import THREAD_KEYS, ArgumentPolicy, SettingsError, Tolerance, merge, read_settings


def test_the_default_is_exact() -> None:
    policy = ArgumentPolicy()
    assert (policy.policy, policy.case_sensitive, policy.matchers) == ("exact", True, False)
    assert not policy.tolerance
    assert not policy.ignore_paths
    assert not policy.tools


def test_a_bare_number_is_the_relative_tolerance() -> None:
    assert ArgumentPolicy.model_validate({"tolerance": 0.1}).tolerance == Tolerance(relative=0.1)
    assert ArgumentPolicy.model_validate({"tolerance": 0}).tolerance == Tolerance()


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"policy": "superst"}, r"expected one of exact, ignore, subset, superset \(did you mean 'superset'\?\)"),
        ({"policy": "EXACT"}, "did you mean 'exact'"),
        ({"policy": ["exact"]}, "expected one of exact"),
        ({"policy": None}, "expected one of exact"),
        ({"ignore_paths": ["id"]}, r"expected a JSON Pointer such as .*did you mean '/id'\?"),
        ({"ignore_paths": ["/a~2b"]}, "expected a JSON Pointer"),
        ({"ignore_paths": ["$.a.b"]}, "expected a JSON Pointer"),
        ({"ignore_paths": [""]}, "to ignore all arguments, write the policy ignore"),
        ({"ignore_paths": [3]}, "expected a JSON Pointer"),
        ({"ignore_paths": "/id"}, "tuple"),
        ({"tolerance": -0.1}, "from 0 to below 1"),
        ({"tolerance": 1}, "from 0 to below 1"),
        ({"tolerance": {"absolute": -1}}, "greater than or equal to 0"),
        ({"tolerance": {"absolute": float("inf")}}, "finite"),
        ({"tolerance": {"relative": float("nan")}}, "relative"),
        ({"tolerance": True}, "Tolerance"),
        ({"tolerance": {"relative": True}}, "valid number"),
        ({"tolerance": {"relativ": 0.1}}, "relativ"),
        ({"case_sensitive": 1}, "boolean"),
        ({"matchers": "yes"}, "boolean"),
        ({"tools": {"f": {"polcy": "exact"}}}, "polcy"),
        ({"tools": {"f": {"tools": {}}}}, "tools"),
        ({"tools": ["f"]}, "tools"),
    ],
)
def test_what_it_cannot_be_is_refused(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        ArgumentPolicy.model_validate(stated)


def test_every_problem_is_named_with_its_place() -> None:
    stated = {
        "policy": "subst",
        "ignore_paths": ["x"],
        "tolerance": {"relativ": 1},
        "tools": {"f": {"polcy": "exact"}},
    }
    with pytest.raises(SettingsError) as caught:
        read_settings({"arguments": stated}, keys=THREAD_KEYS, source="")
    assert str(caught.value).splitlines() == [
        (
            '/arguments/policy: expected one of exact, ignore, subset, superset, found the string "subst" '
            "(did you mean 'subset'?)"
        ),
        (
            '/arguments/ignore_paths/0: expected a JSON Pointer such as /request_id or /items/*/id, found the string "x" '
            "(did you mean '/x'?)"
        ),
        "/arguments/tolerance/relativ: expected a settings key, found the unknown key 'relativ' (did you mean 'relative'?)",
        "/arguments/tools/f/polcy: expected a settings key, found the unknown key 'polcy' (did you mean 'policy'?)",
    ]


def test_sources_are_merged_key_by_key_and_tool_by_tool() -> None:
    thread = {"tools": {"f": {"policy": "subset"}, "g": {"policy": "ignore"}}}
    whole = {"policy": "superset", "tools": {"f": {"policy": "exact", "ignore_paths": ["/id"]}}}
    sources = [read_settings({"arguments": stated}, keys=THREAD_KEYS, source="") for stated in (thread, whole)]
    merged = merge(*sources).arguments
    assert merged.policy == "superset"
    assert merged.tools["f"].policy == "subset"
    assert merged.tools["f"].ignore_paths == ("/id",)
    assert merged.tools["f"].model_fields_set == {"policy", "ignore_paths"}
    assert merged.tools["g"].policy == "ignore"
