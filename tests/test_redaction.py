"""Secrets are masked before they are written, and what is none stays."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given

from tests.evalset.strategies import JSON
from trajectory.redaction import Masking

# Made up, and put together here so that nobody's scanner takes them for real ones.
AWS = "AKIA" + "ABCDEFGHIJKLMNOP"
GITHUB = "ghp_" + "a1B2" * 9
SLACK = "xoxb-" + "123456789012-abcdefghij"
STRIPE = "sk_live_" + "a" * 24
GOOGLE = "AIza" + "B" * 35
PROVIDER = "sk-" + "proj-" + "c" * 40
JWT = "eyJ" + "a" * 20 + ".eyJ" + "b" * 20 + "." + "c" * 20
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        (AWS, "AWS key"),
        (GITHUB, "GitHub token"),
        (SLACK, "Slack token"),
        (STRIPE, "Stripe key"),
        (GOOGLE, "Google key"),
        (PROVIDER, "model provider key"),
        (JWT, "JSON Web Token"),
        (PEM, "private key"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "use {} now", "key={}", '{{"a": "{}"}}'])
def test_a_secret_in_a_text(secret: str, kind: str, around: str) -> None:
    masking = Masking()
    masked = masking.mask({"text": [around.format(secret)]})
    assert secret not in json.dumps(masked)
    assert f"[masked: {kind}]" in masked["text"][0]
    assert masking.summary() == f"1 x {kind}"


def test_a_bearer_token_keeps_its_scheme() -> None:
    assert Masking().mask("Authorization: Bearer abcdef123456") == "Authorization: Bearer [masked: bearer token]"


@pytest.mark.parametrize(
    "key", ["api_key", "API-KEY", "apikey", "password", "x-api-key", "client_secret", "access_token", "db.password"]
)
def test_a_value_at_a_telling_key(key: str) -> None:
    assert Masking().mask({"headers": {key: "hunter2"}}) == {"headers": {key: "[masked: secret value]"}}
    assert Masking().mask({key: ["hunter2"]}) == {key: ["[masked: secret value]"]}


@pytest.mark.parametrize(
    "text", ['{"api_key": "hunter2222"}', "password = 'hunter2222'", '"client_secret":"hunter2222"']
)
def test_a_value_at_a_telling_key_inside_of_a_text(text: str) -> None:
    masked = Masking().mask(text)
    assert "hunter" not in masked
    assert "[masked: secret value]" in masked


@pytest.mark.parametrize(
    "value",
    [
        {"page_token": "abc123", "next_token": "def", "token_count": 5, "tokens": ["a"], "secretary": "Ann"},
        {"password": None, "api_key": 5, "passwords_sent": "yes"},
        "What is my password?",
        "sk-1 and sk-live are short",
        "AKIA is a prefix",
        "eyJ.eyJ.x",
        "the bearer of this",
    ],
)
def test_what_is_no_secret_stays(value: Any) -> None:
    masking = Masking()
    assert masking.mask(value) == value
    assert masking.summary() == ""


@given(JSON)
def test_ordinary_json_stays(value: Any) -> None:
    assert Masking().mask(value) == value


def test_a_redactor_has_the_last_word() -> None:
    masking = Masking(lambda text: text.replace("Ann", "[somebody]"))
    assert masking.mask([f"Ann has {AWS}", "nobody"]) == ["[somebody] has [masked: AWS key]", "nobody"]
    assert masking.summary() == "1 x AWS key, 1 x by the hook"


@pytest.mark.parametrize(
    "unit", ["eyJ", "password", "bearer ", "-----BEGIN PRIVATE KEY-----", "sk-a", "secret='", "xoxb-"]
)
def test_hostile_texts_take_no_time(unit: str) -> None:
    start = time.process_time()
    Masking().mask(unit * (200_000 // len(unit)))
    assert time.process_time() - start < 5
