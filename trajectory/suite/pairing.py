"""Which recorded thread belongs to which thread of the eval sets."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from trajectory.errors import ConfigurationError, did_you_mean
from trajectory.json_values import printable, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajectory.conversation import ConversationThread

_NAMED: Final = 10


class PairBy(StrEnum):
    """What a recorded thread and one of an eval set have in common."""

    ID = "id"
    """Their ids."""
    QUERY = "query"
    """What the user said, over the whole thread, without white space at the ends of each query."""
    ORDER = "order"
    """Their places in the files."""

    @classmethod
    def parse(cls, name: str | None, *, source: str = "--pair-by") -> PairBy | None:
        """Read the name of a way; ``None`` stands for: by id, then by query what is left.

        Args:
            name: The name.
            source: What messages call the option.

        Raises:
            ConfigurationError: There is no such way.
        """
        if name is None or name in list(cls):
            return cls(name) if name else None
        hint = did_you_mean(str(name), [way.value for way in cls])
        raise ConfigurationError(
            f"{source}: expected one of {', '.join(cls)}, found {name!r}{f' ({hint})' if hint else ''}"
        )


@dataclass(frozen=True, slots=True)
class Key:
    """What a thread is found by.

    Attributes:
        id: Its id.
        queries: A digest of its queries; empty when one of them is, for then it does not tell threads apart.
    """

    id: str
    queries: bytes = b""

    @classmethod
    def of(cls, thread: ConversationThread) -> Key:
        """Make the key of a thread."""
        return cls.of_queries(thread.id, [trace.query for trace in thread.traces])

    @classmethod
    def of_queries(cls, identity: str, asked: Sequence[str]) -> Key:
        """Make the key of a thread of which the id is known, and what the user said."""
        queries = [query.strip() for query in asked]
        if not queries or not all(queries):
            return cls(identity)
        digest = hashlib.blake2b(digest_size=16)
        for query in queries:
            data = query.encode(errors="surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
        return cls(identity, digest.digest())


@dataclass(slots=True)
class Pairing:
    """Which threads belong together.

    Attributes:
        partners: For each recorded thread that has a partner, by its place: the place of that thread of the eval sets.
        ways: The way in which each of them was found.
        ambiguous: The ids of recorded threads whose queries are those of several threads, and not of as many on the other
            side.
    """

    partners: dict[int, int] = field(default_factory=dict)
    ways: dict[int, PairBy] = field(default_factory=dict)
    ambiguous: list[str] = field(default_factory=list)

    def add(self, recorded: int, asked: int, way: PairBy) -> None:
        """Pair two threads, by their places."""
        self.partners[recorded] = asked
        self.ways[recorded] = way

    def notes(self, asked: Sequence[Key], recorded: Sequence[Key]) -> Iterator[str]:
        """Say how the recorded threads found their partners."""
        by_id = sum(way is PairBy.ID for way in self.ways.values())
        if by_id:
            yield f"{_threads(by_id)} paired by id"
        for way, words in ((PairBy.QUERY, "by what the user said"), (PairBy.ORDER, "by their order")):
            found = [place for place, how in self.ways.items() if how is way]
            if found:
                pairs = [f"{_shown(recorded[p].id)} -> {_shown(asked[self.partners[p]].id)}" for p in found[:_NAMED]]
                left = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
                yield f"{_threads(len(found))} paired {words}: {', '.join(pairs)}{left}"
        if self.ambiguous:
            yield (
                f"not paired, for several threads have the same queries: {', '.join(map(_shown, self.ambiguous[:_NAMED]))}"
                + (f" and {len(self.ambiguous) - _NAMED} more" if len(self.ambiguous) > _NAMED else "")
            )


def pair(asked: Sequence[Key], recorded: Sequence[Key], by: PairBy | None) -> Pairing:
    """Find for each recorded thread the thread of the eval sets that it is a run of.

    Threads of equal queries are paired in their order if there are as many on both sides, and not at all otherwise: which
    of them was left out cannot be known.

    Args:
        asked: The threads of the eval sets, in order.
        recorded: The recorded threads, in order.
        by: The way; ``None`` for by id, and then by query what is left.

    Returns:
        The pairs. A thread may be without a partner on either side.
    """
    pairing = Pairing()
    if by is PairBy.ORDER:
        for place, _ in enumerate(zip(asked, recorded, strict=False)):
            pairing.add(place, place, PairBy.ORDER)
    if by in {None, PairBy.ID}:
        _by_id(pairing, asked, recorded)
    if by in {None, PairBy.QUERY}:
        _by_query(pairing, asked, recorded)
    return pairing


def _by_id(pairing: Pairing, asked: Sequence[Key], recorded: Sequence[Key]) -> None:
    places = {key.id: place for place, key in enumerate(asked)}
    for place, key in enumerate(recorded):
        if key.id in places:
            pairing.add(place, places[key.id], PairBy.ID)


def _by_query(pairing: Pairing, asked: Sequence[Key], recorded: Sequence[Key]) -> None:
    taken = set(pairing.partners.values())
    open_asked = _grouped(asked, taken)
    for queries, found in _grouped(recorded, pairing.partners).items():
        partners = open_asked.get(queries, [])
        if len(partners) == len(found):
            for place, partner in zip(found, partners, strict=True):
                pairing.add(place, partner, PairBy.QUERY)
        elif partners:
            pairing.ambiguous += [recorded[place].id for place in found]


def _grouped(keys: Sequence[Key], without: Iterable[int]) -> dict[bytes, list[int]]:
    """Group the places of keys by their queries, those left out that have a partner or no queries."""
    taken, groups = set(without), defaultdict[bytes, list[int]](list)
    for place, key in enumerate(keys):
        if key.queries and place not in taken:
            groups[key.queries].append(place)
    return groups


def _threads(number: int) -> str:
    return f"{number} recorded thread{'s' * (number != 1)}"


def _shown(name: str) -> str:
    return shorten(printable(name))
