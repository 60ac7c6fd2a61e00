"""Thread ids as names of items."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.node_names import node_name

ANY_TEXT = st.text(st.characters(), max_size=130) | st.text("%:[]/\\ab. 3A", max_size=130)


@pytest.mark.parametrize(
    ("thread_id", "name"),
    [
        ("refund-17", "refund-17"),
        ("ask for a refund (é, 漢)", "ask for a refund (é, 漢)"),
        ("a::b", "a%3A%3Ab"),
        ("a:b", "a:b"),
        (":::", "%3A%3A:"),
        ("a[1]", "a%5B1%5D"),
        ("a/b\\c", "a%2Fb%5Cc"),
        ("100%", "100%25"),
        ("a\nb\x1b", "a%0Ab%1B"),
        ("\ud800", "%ED%A0%80"),
        ("", "%"),
    ],
)
def test_names(thread_id: str, name: str) -> None:
    assert node_name(thread_id) == name


@given(ANY_TEXT)
def test_nothing_in_a_name_breaks_selection(thread_id: str) -> None:
    name = node_name(thread_id)
    assert name
    assert name.isprintable()
    assert "::" not in name
    assert not set("[]/\\") & set(name)
    assert len(name) <= 115


@given(st.lists(ANY_TEXT, unique=True, max_size=20))
def test_no_two_ids_share_a_name(identities: list[str]) -> None:
    assert len({node_name(identity) for identity in identities}) == len(identities)


def test_long_ids_are_told_apart() -> None:
    first, second = node_name("x" * 500 + "1"), node_name("x" * 500 + "2")
    assert first != second
    assert first.startswith("x" * 100 + "...")
