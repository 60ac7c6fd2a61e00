"""What the sample agent understands."""

from __future__ import annotations

import pytest

from fixtures.mentions import Mention, mentions, order_number, quantity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do you have lamps?", [Mention("lamp", None, 1)]),
        ("two blue desk lamps and 3 mugs", [Mention("lamp", "blue", 2), Mention("mug", None, 3)]),
        ("A lamp, ten of the Green Mugs", [Mention("lamp", None, 1), Mention("mug", "green", 10)]),
        ("a dozen mugs", [Mention("mug", None, 12)]),
        ("one lamp", [Mention("lamp", None, 1)]),
        ("And the blue one?", [Mention(None, "blue", 1)]),
        ("the green mug and two blue ones", [Mention("mug", "green", 1), Mention(None, "blue", 2)]),
        ("I'll take one.", [Mention(None, None, 1)]),
        ("I'll take two by express", [Mention(None, None, 2)]),
        ("three, please", [Mention(None, None, 3)]),
        ("120 of them", [Mention(None, None, 120)]),
        ("a lamp, I need it soon", [Mention("lamp", None, 1)]),
        ("Cancel A1041", []),
        ("two teapots", []),
        ("a white teapot", []),
        ("the lampshade of someone", []),
        ("", []),
    ],
)
def test_mentions_of_products(text: str, expected: list[Mention]) -> None:
    assert mentions(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Where is A1041?", "A1041"), ("a1041", "A1041"), ("A10412", None), ("1041", None), ("", None)],
)
def test_order_number(text: str, expected: str | None) -> None:
    assert order_number(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Make it two.", 2), ("Make it 12", 12), ("Make it a dozen", 12), ("Make it nice", None), ("1041", None)],
)
def test_quantity(text: str, expected: int | None) -> None:
    assert quantity(text) == expected
