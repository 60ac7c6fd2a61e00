"""Which recorded thread is taken for a run of which thread of the eval sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sets import conversation
from trajectory import ConfigurationError
from trajectory.suite.pairing import Key, PairBy, Pairing, pair

if TYPE_CHECKING:
    from collections.abc import Sequence

ID, QUERY, ORDER = PairBy.ID, PairBy.QUERY, PairBy.ORDER


def keys(*words: str) -> list[Key]:
    """Write keys as ``id`` or ``id:queries``."""
    return [Key(name, queries.encode()) for name, _, queries in (word.partition(":") for word in words)]


def named(pairing: Pairing, asked: Sequence[Key], recorded: Sequence[Key]) -> set[tuple[str, str, PairBy]]:
    """Say which recorded id was paired with which id, and how."""
    return {(recorded[r].id, asked[a].id, pairing.ways[r]) for r, a in pairing.partners.items()}


@pytest.mark.parametrize(
    ("asked", "recorded", "by", "pairs"),
    [
        ([], [], None, {}),
        (["a:x"], [], None, {}),
        ([], ["a:x"], None, {}),
        (["a:x", "b:y"], ["b:y", "a:x"], None, {"a": ("a", ID), "b": ("b", ID)}),
        (["a:x"], ["r:x"], None, {"r": ("a", QUERY)}),
        (["a:x"], ["a:y"], None, {"a": ("a", ID)}),  # the id decides, and what was said is compared turn by turn
        (["a:x", "b:y"], ["a:y", "r:x"], None, {"a": ("a", ID)}),  # never by query what an id has taken
        (["a:x", "b:x"], ["a:x", "r:x"], None, {"a": ("a", ID), "r": ("b", QUERY)}),  # by id first, so one is left
        (["a:x", "b:x"], ["r:x", "s:x"], None, {"r": ("a", QUERY), "s": ("b", QUERY)}),  # equal ones in their order
        (["a:x", "b:x"], ["s:x", "r:x"], None, {"s": ("a", QUERY), "r": ("b", QUERY)}),
        (["a:x", "b:x"], ["r:x"], None, {}),  # which of them was left out cannot be known
        (["a:x"], ["r:x", "s:x"], None, {}),
        (["a:x", "b:x", "c:z"], ["r:x", "t:z"], None, {"t": ("c", QUERY)}),
        (["a"], ["r"], None, {}),  # no queries tell nothing
        (["a", "b"], ["r", "s"], QUERY, {}),
        (["a"], ["a"], None, {"a": ("a", ID)}),
        (["a:x"], ["A:x"], ID, {}),  # ids are compared as they are
        (["a:x", "b:y"], ["b:y", "r:x"], ID, {"b": ("b", ID)}),
        (["a:x", "b:y"], ["a:y", "b:x"], QUERY, {"a": ("b", QUERY), "b": ("a", QUERY)}),
        (["a:x", "b:y"], ["b:y", "a:x"], ORDER, {"b": ("a", ORDER), "a": ("b", ORDER)}),
        (["a:x"], ["r", "s"], ORDER, {"r": ("a", ORDER)}),
        (["a:x", "b:y"], ["r"], ORDER, {"r": ("a", ORDER)}),
    ],
)
def test_pairs(asked: list[str], recorded: list[str], by: PairBy | None, pairs: dict[str, tuple[str, PairBy]]) -> None:
    left, right = keys(*asked), keys(*recorded)
    assert named(pair(left, right, by), left, right) == {(r, a, way) for r, (a, way) in pairs.items()}


def test_who_is_left_out_for_being_one_of_several_is_named() -> None:
    asked, recorded = keys("a:x", "b:x", "c:y"), keys("r:x", "t:y", "u:z")
    pairing = pair(asked, recorded, None)
    assert pairing.ambiguous == ["r"]
    assert [*pairing.notes(asked, recorded)] == [
        "1 recorded thread paired by what the user said: t -> c",
        "not paired, for several threads have the same queries: r",
    ]


def test_notes_name_a_few_and_count_the_rest() -> None:
    asked = keys(*(f"a{n}:{n}" for n in range(12)), "same", "b:x", "c:x")
    recorded = keys(*(f"r{n}:{n}" for n in range(12)), "same", "evil\x1b[31m:x")
    notes = [*pair(asked, recorded, None).notes(asked, recorded)]
    assert notes[0] == "1 recorded thread paired by id"
    assert notes[1].startswith("12 recorded threads paired by what the user said: r0 -> a0, ")
    assert notes[1].endswith("r9 -> a9 and 2 more")
    assert "\x1b" not in notes[2]
    assert len(notes) == 3


# ------------------------------------------------------------------------------------------------------------ the keys


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (["hello"], ["hello"], True),
        (["hello"], ["  hello\n"], True),
        (["hello"], ["Hello"], False),
        (["hello", "bye"], ["bye", "hello"], False),
        (["hello", "bye"], ["hello"], False),
        (["ab", "c"], ["a", "bc"], False),
        (["a\nb"], ["a", "b"], False),
    ],
)
def test_queries_are_the_same(one: list[str], other: list[str], same: bool) -> None:  # noqa: FBT001 - a row
    first, second = (Key.of(conversation("t", [(query, []) for query in queries])) for queries in (one, other))
    assert (first == second) is same


@pytest.mark.parametrize("queries", [[], [""], ["  "], ["hello", ""]])
def test_an_empty_query_does_not_tell_threads_apart(queries: list[str]) -> None:
    assert Key.of(conversation("t", [(query, []) for query in queries])) == Key("t", b"")


@pytest.mark.parametrize("name", ["id", "query", "order"])
def test_the_name_of_a_way(name: str) -> None:
    assert PairBy.parse(name) == name


def test_no_way_stands_for_by_id_and_then_by_query() -> None:
    assert PairBy.parse(None) is None


@pytest.mark.parametrize(("name", "hint"), [("ids", "'id'"), ("querry", "'query'"), ("ORDER", "'order'")])
def test_a_misspelt_way(name: str, hint: str) -> None:
    with pytest.raises(
        ConfigurationError, match=f"expected one of id, query, order, found '{name}' .did you mean {hint}"
    ):
        PairBy.parse(name)


@pytest.mark.parametrize("name", ["", "3"])
def test_what_is_no_way_at_all(name: str) -> None:
    with pytest.raises(ConfigurationError, match="--pair-by: expected one of id, query, order, found "):
        PairBy.parse(name)


# -------------------------------------------------------------------------------------------------------------- the laws

_QUERIES = st.sampled_from([b"", b"x", b"y", b"z"])
_SIDE = st.dictionaries(st.sampled_from("abcdefgh"), _QUERIES, max_size=8).map(
    lambda found: [Key(name, queries) for name, queries in found.items()]
)
_WAY = st.sampled_from([None, *PairBy])
_some = settings(max_examples=50)


@_some
@given(_SIDE, _SIDE, _WAY)
def test_no_thread_has_two_partners(asked: list[Key], recorded: list[Key], by: PairBy | None) -> None:
    pairing = pair(asked, recorded, by)
    assert len(set(pairing.partners.values())) == len(pairing.partners)
    assert set(pairing.partners) == set(pairing.ways)
    assert set(pairing.partners) <= set(range(len(recorded)))
    assert set(pairing.partners.values()) <= set(range(len(asked)))


@_some
@given(_SIDE, _SIDE, _WAY)
def test_each_pair_has_in_common_what_it_was_paired_by(
    asked: list[Key], recorded: list[Key], by: PairBy | None
) -> None:
    pairing = pair(asked, recorded, by)
    for index, partner in pairing.partners.items():
        same = {
            ID: recorded[index].id == asked[partner].id,
            QUERY: bool(asked[partner].queries) and recorded[index].queries == asked[partner].queries,
            ORDER: index == partner,
        }
        assert same[pairing.ways[index]]
        assert by is None or by == pairing.ways[index]


@_some
@given(_SIDE, _SIDE)
def test_whoever_shares_an_id_is_paired_by_it(asked: list[Key], recorded: list[Key]) -> None:
    for by in (None, ID):
        pairing = pair(asked, recorded, by)
        by_id = {recorded[index].id for index, way in pairing.ways.items() if way is ID}
        assert by_id == {key.id for key in asked} & {key.id for key in recorded}


@_some
@given(_SIDE, _SIDE)
def test_of_equal_queries_all_are_paired_or_none(asked: list[Key], recorded: list[Key]) -> None:
    pairing = pair(asked, recorded, QUERY)
    for queries in {key.queries for key in recorded}:
        mine = [index for index, key in enumerate(recorded) if key.queries == queries]
        theirs = [index for index, key in enumerate(asked) if key.queries == queries]
        partners = [pairing.partners[index] for index in mine if index in pairing.partners]
        assert partners == (theirs if queries and len(mine) == len(theirs) else [])
        ambiguous = {recorded[index].id for index in mine} & set(pairing.ambiguous)
        assert bool(ambiguous) == bool(queries and theirs and len(mine) != len(theirs))


@_some
@given(_SIDE, _SIDE, st.sampled_from([None, ID, QUERY]), st.randoms())
def test_the_order_of_unrelated_threads_does_not_matter(
    asked: list[Key], recorded: list[Key], by: PairBy | None, randomly: object
) -> None:
    before = named(pair(asked, recorded, by), asked, recorded)
    left, right = (_mixed(side, randomly) for side in (asked, recorded))
    assert named(pair(left, right, by), left, right) == before


def _mixed(side: list[Key], randomly: object) -> list[Key]:
    """Shuffle, but let threads of equal queries keep their order."""
    mixed = [*side]
    randomly.shuffle(mixed)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    rest = {queries: iter([key for key in side if key.queries == queries]) for queries in {key.queries for key in side}}
    return [next(rest[key.queries]) for key in mixed]


@_some
@given(_SIDE, _SIDE)
def test_by_order_the_shorter_side_decides(asked: list[Key], recorded: list[Key]) -> None:
    pairing = pair(asked, recorded, ORDER)
    assert pairing.partners == {index: index for index in range(min(len(asked), len(recorded)))}
