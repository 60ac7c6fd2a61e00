"""The texts of real-looking cases, as approved by people who read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from trajectory import NOT_RECORDED, ArgumentPolicy
from trajectory.matching import match_trajectory

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


SEARCH = call("search_flights", origin="Berlin", destination="Oslo", date="2026-08-01")
HOTEL = call("search_hotels", city="Oslo", nights=3)
BOOK = call(
    "book_flight", flight="LH 123", seat="12A", passengers=[{"name": "Ada", "age": 36}, {"name": "Bo", "age": 4}]
)
PAY = call("pay", amount=120.5, currency="EUR")
MAIL = call("send_mail", to="ada@example.org", subject="Your trip")

ORDER = {
    "customer": {"id": 7, "address": {"street": "High Street 1", "city": "Oslo", "geo": {"lat": 59.91, "lon": 10.75}}},
    "items": [{"sku": f"A-{n}", "count": n, "tags": ["new", "sale"]} for n in range(1, 6)],
    "note": None,
}


def changed_order() -> dict[str, Any]:
    items = [{"sku": f"A-{n}", "count": n, "tags": ["new", "sale"]} for n in range(1, 6) if n != 2]
    items[2] = {"sku": "A-4", "count": 4, "tags": ["new", "sold"]}
    address = {"street": "High Street 1", "city": "Oslo", "geo": {"lat": 59.91, "lon": 10.57}}
    return {"customer": {"id": "7", "address": address}, "items": items}


LETTER = " ".join(f"This is sentence number {n} of a letter that goes on." for n in range(80))

CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "everything as expected": ([SEARCH, BOOK, PAY], [SEARCH, BOOK, PAY], {}),
    "a wrong value deep inside a long argument": ([call("order", **ORDER)], [call("order", **changed_order())], {}),
    "a 4 kB text that differs in one word": (
        [call("write", text=LETTER)],
        [call("write", text=LETTER.replace("number 41", "number forty-one"))],
        {},
    ),
    "a long text with something added at its end": (
        [call("write", text=LETTER)],
        [call("write", text=LETTER + "!")],
        {},
    ),
    "an extra call in the middle": ([SEARCH, BOOK, PAY], [SEARCH, HOTEL, BOOK, PAY], {}),
    "an extra call that the mode allows": ([SEARCH, BOOK], [SEARCH, HOTEL, BOOK], {"mode": "IN_ORDER"}),
    "a call left out that the mode allows": ([SEARCH, BOOK, PAY], [SEARCH, PAY], {"mode": "SUBSET"}),
    "a swapped pair": ([SEARCH, HOTEL, BOOK], [HOTEL, SEARCH, BOOK], {}),
    "a call made too late": ([SEARCH, BOOK, PAY, MAIL], [SEARCH, PAY, MAIL, BOOK], {"mode": "in-order"}),
    "a looped call": ([SEARCH, BOOK], [SEARCH] * 30 + [BOOK], {}),
    "a loop that is one short": ([SEARCH] * 30 + [BOOK], [SEARCH] * 29 + [BOOK], {}),
    "everything different": ([SEARCH, BOOK], [PAY, MAIL], {}),
    "nothing made": ([SEARCH, BOOK], [], {}),
    "nothing expected": ([], [SEARCH, BOOK], {}),
    "nothing on either side": ([], [], {"mode": "SUPERSET"}),
    "malformed arguments": (
        [SEARCH],
        [{"name": "search_flights", "arguments": '{"origin": "Berlin", "destination'}],
        {},
    ),
    "arguments that were not recorded": (
        [SEARCH, PAY],
        [SEARCH, {"name": "pay", "arguments": NOT_RECORDED}],
        {},
    ),
    "values that print alike": (
        [call("f", a=1, b="1", c=True, d=None, e="true", f=0, g={"x": 1}, h="", i=[1])],
        [call("f", a=True, b=1, c="true", d="null", e=True, f=False, g='{"x": 1}', h=None, i=1)],
        {},
    ),
    "numbers that nearly agree": (
        [call("f", sum=0.3, id=9007199254740992, huge=10**600, larger=10**5000)],
        [call("f", sum=0.1 + 0.2, id=9007199254740993, huge=10**600 + 1, larger=10**5000 + 1)],
        {},
    ),
    "case only": ([call("Search", city="Oslo", Unit="km")], [call("search", city="OSLO", unit="km")], {}),
    "letters that look alike": (
        [call("find", name="Pavlova", word="caf\u00e9", gap="a b", end="x")],
        [call("find", name="P\u0430vlova", word="cafe\u0301", gap="a\u00a0b", end="x\u200b")],
        {},
    ),
    "characters that do not print": (
        [call("run", command="ls", file="a.txt")],
        [call("run", command="ls\x00\x1b[31m; rm\r\n", file="a\u202etxt.\ud800")],
        {},
    ),
    "an item taken out of a list": (
        [call("tag", ids=[1, 2, 3, 4, 5, 6], rows=[{"a": 1}, {"a": 2}, {"a": 3}])],
        [call("tag", ids=[1, 2, 4, 5, 6], rows=[{"a": 0}, {"a": 1}, {"a": 2}, {"a": 3}])],
        {},
    ),
    "parallel calls of one tool": (
        [call("get", id=n, detail="full") for n in range(4)],
        [call("get", id=n, detail="full") for n in (2, 0, 7, 3)],
        {"mode": "UNORDERED"},
    ),
    "a looser policy": (
        [call("find", query="shoes", limit=10), call("pay", amount=100)],
        [call("find", query="boots", limit=10, trace="x1"), call("pay", amount=103, trace="x2")],
        {
            "mode": "SUPERSET",
            "arguments": ArgumentPolicy.model_validate(
                {
                    "policy": "superset",
                    "ignore_paths": ["/trace"],
                    "tools": {"pay": {"tolerance": 0.05}},
                }
            ),
        },
    ),
    "a matcher": (
        [
            call(
                "pay",
                amount={"$jsonSchema": {"type": "number", "maximum": 100}},
                day={"$jsonSchema": {"format": "date"}},
            )
        ],
        [call("pay", amount=120, day="tomorrow")],
        {"arguments": ArgumentPolicy(matchers=True)},
    ),
    "repeats ignored": ([SEARCH, SEARCH, BOOK], [SEARCH, BOOK, BOOK, PAY], {"repeats": "ignore"}),
}


@pytest.mark.parametrize("case", CASES)
def test_text(case: str, snapshot: SnapshotAssertion) -> None:
    expected, actual, options = CASES[case]
    text = str(match_trajectory(expected, actual, **options))
    assert max(map(len, text.splitlines())) <= 80
    assert text == snapshot
