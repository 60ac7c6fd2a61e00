"""Check recorded threads against those of eval sets, in this process or in several."""

from __future__ import annotations

import signal
from collections import defaultdict, deque
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from trajectory.errors import EvalSetError, Problem
from trajectory.evalset.parsing import collector_paused
from trajectory.json_values import describe
from trajectory.suite.checker import Place
from trajectory.suite.facts import unmatched_reason
from trajectory.suite.pairing import Key, PairBy, pair
from trajectory.suite.sources import stem_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import ProcessPoolExecutor

    from trajectory.running import Budget, Interrupts
    from trajectory.settings import Settings
    from trajectory.suite.checker import Checker, Judged
    from trajectory.suite.sources import Source

    _Wanted = Mapping[tuple[int, int], Place]

_ONE_RUN: Final = {"repetitions": 1, "pass_runs": None}
_PLANNED_PER_PROCESS: Final = 2
_NOTES_KEPT: Final = 200


class _Found(NamedTuple):
    """A recorded thread, and what it came to where it was checked."""

    key: Key
    line: int
    nth: int
    judged: Judged | None


@dataclass(slots=True)
class _Piece:
    """What a piece of a source came to."""

    found: list[_Found]
    notes: list[str]
    left_out: int
    incomplete: bool


@dataclass(slots=True)
class _Desk:
    """Where pieces of sources are checked: it can be sent to other processes."""

    checker: Checker
    sources: Sequence[Source]
    name: str
    by_id: Mapping[str, Place]

    def work(self, source: int, piece: Any, wanted: _Wanted | None) -> _Piece:
        """Read a piece and check its threads.

        Args:
            source: Which source it is of.
            piece: The piece.
            wanted: Which threads to check, by line and place on it, and against which; ``None`` to find them by their id.

        Returns:
            What it came to. Only the first look at a piece makes keys and notes.
        """
        with collector_paused():
            return self._work(source, piece, wanted)

    def _work(self, source: int, piece: Any, wanted: _Wanted | None) -> _Piece:
        reading = self.sources[source].read(piece)
        found, line_before, nth = [], -1, 0
        for index, (thread, line) in enumerate(reading.threads):
            nth = nth + 1 if line == line_before else 0 if index else reading.first
            line_before = line
            place = self.by_id.get(thread.id) if wanted is None else wanted.get((line, nth))
            judged = None if place is None else self.checker.check(place, thread, self.name)
            if wanted is None or judged is not None:
                found.append(_Found(Key.of(thread), line, nth, judged))
        return _Piece(found, reading.notes, reading.left_out, reading.incomplete)


def for_recordings(stated: Settings) -> Settings:
    """State for all eval sets that threads are run once: a recording shows one run, and the same at every look."""
    return stated.model_copy(update=_ONE_RUN)


@dataclass(slots=True)
class RecordedWork:
    """Recorded threads that are checked against those of eval sets.

    Attributes:
        checker: What checks them.
        sources: Where they come from.
        by: How partners are found; ``None`` for by id, and then by query what is left.
        jobs: How many processes check.
        allow_unmatched: Recorded threads may be without a partner.
        incomplete: Something is missing or could not be read.
        alone: The ids of the recorded threads that have no partner.
        died: A process died that was checking.
    """

    checker: Checker
    sources: Sequence[Source]
    by: PairBy | None = None
    jobs: int = 1
    allow_unmatched: bool = False
    incomplete: bool = False
    alone: list[str] = field(default_factory=list)
    died: bool = False
    _done: set[Place] = field(default_factory=set)
    _heard: list[str] = field(default_factory=list)
    _left_out: int = 0
    _paired: list[str] = field(default_factory=list)

    @property
    def budget(self) -> Budget | None:
        """None: nothing is spent."""
        return None

    @property
    def name(self) -> str:
        """What the recording is called in messages."""
        return f"the recording {', '.join(source.name for source in self.sources)}"

    @property
    def shown(self) -> str:
        """The same, with its formats."""
        formats = dict.fromkeys(name for source in self.sources for name in source.format.split(", "))
        return f"{self.name} ({', '.join(formats)})"

    @property
    def notes(self) -> list[str]:
        """What the readers had to say, and how partners were found."""
        left_out = [f"{self._left_out} further notes were left out"] if self._left_out else []
        aside = [unmatched_reason(self.name, self.alone)] if self.alone and self.allow_unmatched else []
        return [*self._heard, *left_out, *self._paired, *aside]

    def breaches(self) -> list[str]:
        """Say what keeps the run from passing, whatever the threads come to."""
        found = ["a process that checked threads died"] * self.died
        found += [f"{self.name} is incomplete (see the notes)"] * self.incomplete
        if self.alone and not self.allow_unmatched:
            found.append(unmatched_reason(self.name, self.alone))
        return found

    def entries(self, interrupts: Interrupts) -> Iterator[tuple[Place, Judged]]:
        """Check every thread that is to be run.

        Args:
            interrupts: What has come, so far; a thread that an interrupt hit may have come to a wrong verdict.

        Yields:
            What each came to: in the order of the recordings, and then those that were not recorded.

        Raises:
            EvalSetError: Two recorded threads have one id.
            KeyboardInterrupt: One came.
        """
        asked, places = self._asked()
        first = {key.id: place for key, place in zip(asked, places, strict=True) if place is not None}
        desk = _Desk(self.checker, self.sources, self.name, first if self.by in {None, PairBy.ID} else {})
        keys, spots, done = list[Key](), list[tuple[int, int, int]](), set[int]()
        with _Office(desk, self.jobs, interrupts) as office:
            try:
                pieces = ((number, piece, None) for number, one in enumerate(self.sources) for piece in one.pieces())
                for number, result in office.results(pieces):
                    self._note(result)
                    for found in result.found:
                        if found.judged is not None:
                            done.add(len(keys))
                            yield self._came_to(first[found.key.id], found.judged)
                        keys.append(found.key)
                        spots.append((number, found.line, found.nth))
                keys = self._named(keys, spots)
                wanted = self._pair(asked, places, keys, spots, done)
                again = (
                    (number, piece, wanted[number]) for number in wanted for piece in self.sources[number].pieces()
                )
                for number, result in office.results(again):
                    for found in result.found:
                        if found.judged is not None:
                            yield self._came_to(wanted[number][found.line, found.nth], found.judged)
            except BrokenExecutor:
                self.died = True
                return
        for place in places:
            if place is not None and place not in self._done:
                judged = self.checker.check(place, None, self.name)
                interrupts.check()
                yield self._came_to(place, judged)

    @staticmethod
    def finished_ahead() -> Iterator[tuple[Place, Judged]]:
        """Give nothing: what was checked was handed over."""
        yield from ()

    def _asked(self) -> tuple[list[Key], list[Place | None]]:
        """List the threads of the eval sets: all of them may have been recorded, not all are to be checked."""
        keys, places = list[Key](), list[Place | None]()
        for number, loaded in enumerate(self.checker.eval_sets):
            chosen = {thread.id: Place(number, index) for index, thread in enumerate(loaded.threads)}
            keys += map(Key.of, loaded.eval_set.threads)
            places += [chosen.get(thread.id) for thread in loaded.eval_set.threads]
        return keys, places

    def _note(self, piece: _Piece) -> None:
        room = max(_NOTES_KEPT - len(self._heard), 0)
        self._heard += piece.notes[:room]
        self._left_out += len(piece.notes[room:]) + piece.left_out
        self.incomplete |= piece.incomplete

    def _came_to(self, place: Place, judged: Judged) -> tuple[Place, Judged]:
        self._done.add(place)
        return place, judged

    def _named(self, keys: Sequence[Key], spots: Sequence[tuple[int, int, int]]) -> list[Key]:
        """Name the threads that have no id as `load_recordings` does, and refuse two of one id."""
        counts = defaultdict[int, int](int)
        for number, _, _ in spots:
            counts[number] += 1
        seen, named, first = defaultdict[int, int](int), list[Key](), dict[str, tuple[int, int, int]]()
        for key, spot in zip(keys, spots, strict=True):
            seen[spot[0]] += 1
            stem = stem_of(self.sources[spot[0]])
            own = key.id or (stem if counts[spot[0]] == 1 else f"{stem}-{seen[spot[0]]}")
            if first.setdefault(own, spot) != spot:
                raise EvalSetError([self._repeated(own, spot, first[own])])
            named.append(Key(own, key.queries))
        return named

    def _repeated(self, identity: str, spot: tuple[int, int, int], first: tuple[int, int, int]) -> Problem:
        file, line = self.sources[spot[0]].name, spot[1] or None
        where = f"on line {first[1]}" if first[1] and first[0] == spot[0] else f"in {self.sources[first[0]].name}"
        expected, hint = "thread ids that no other recording has", f"the first one stands {where}"
        return Problem(file, line, None, "", expected, f"{describe(identity)} again", hint)

    def _pair(
        self,
        asked: Sequence[Key],
        places: Sequence[Place | None],
        keys: Sequence[Key],
        spots: Sequence[tuple[int, int, int]],
        done: set[int],
    ) -> dict[int, dict[tuple[int, int], Place]]:
        """Find the partners of the threads that were not found by their own id; give what is still to be checked."""
        pairing = pair(asked, keys, self.by)
        self._paired += pairing.notes(asked, keys)
        self.alone = [key.id for index, key in enumerate(keys) if index not in pairing.partners]
        wanted = defaultdict[int, dict[tuple[int, int], Place]](dict)
        for index, partner in pairing.partners.items():
            place = places[partner]
            if place is not None and index not in done:
                number, line, nth = spots[index]
                wanted[number][line, nth] = place
        return wanted


class _Office:
    """Has pieces checked, here or by other processes, and gives the results in the order of the pieces."""

    def __init__(self, desk: _Desk, jobs: int, interrupts: Interrupts) -> None:
        self._desk = desk
        self._jobs = jobs
        self._interrupts = interrupts
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        """Start the other processes, where there are to be some."""
        if self._jobs > 1:
            # Started afresh: a copy of this process would hold locks of threads that it does not have.
            from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - costly, and rarely needed
            from multiprocessing import get_context  # noqa: PLC0415 - likewise

            self._pool = ProcessPoolExecutor(
                self._jobs, mp_context=get_context("spawn"), initializer=_sit_down, initargs=(self._desk,)
            )
        return self

    def __exit__(self, *_: object) -> None:
        """Let nothing more begin."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def results(self, pieces: Iterator[tuple[int, Any, _Wanted | None]]) -> Iterator[tuple[int, _Piece]]:
        """Have pieces checked; only a few of them are held at once, and none is given that an interrupt may have hit."""
        for result in self._checked(pieces):
            self._interrupts.check()
            yield result

    def _checked(self, pieces: Iterator[tuple[int, Any, _Wanted | None]]) -> Iterator[tuple[int, _Piece]]:
        if self._pool is None:
            for number, piece, wanted in pieces:
                yield number, self._desk.work(number, piece, wanted)
            return
        planned: deque[tuple[int, Callable[[], _Piece]]] = deque()
        for number, piece, wanted in pieces:
            with _deaf_children():
                planned.append((number, self._pool.submit(_work, number, piece, wanted).result))
            if len(planned) > self._jobs * _PLANNED_PER_PROCESS:
                yield _result(*planned.popleft())
        while planned:
            yield _result(*planned.popleft())


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Let processes that are started meanwhile not hear Ctrl-C from their first moment on: this one decides."""
    if not hasattr(signal, "pthread_sigmask"):  # they hear it until they sit down
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _result(number: int, wait: Callable[[], _Piece]) -> tuple[int, _Piece]:
    return number, wait()


_DESK: list[_Desk] = []
"""The desk of this process, where it is one of those that were started to check."""


def _sit_down(desk: _Desk) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides
    _DESK[:] = [desk]


def _work(source: int, piece: Any, wanted: _Wanted | None) -> _Piece:
    return _DESK[0].work(source, piece, wanted)
