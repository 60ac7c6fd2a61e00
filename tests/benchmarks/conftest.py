"""Measure against a reference, and show the ratios when all is done."""

from __future__ import annotations

import gc
import resource
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Action = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Ratio:
    """How long something takes, in units of a reference."""

    what: str
    seconds: float
    reference: str
    reference_seconds: float
    at_most: float

    @property
    def value(self) -> float:
        return self.seconds / self.reference_seconds

    @property
    def line(self) -> str:
        times = f"{self.seconds * 1000:10,.1f} ms {self.reference_seconds * 1000:10,.1f} ms"
        return f"{self.what:47} {times} {self.value:9.3g} {self.at_most:8.3g}   {self.reference}"


def cpu_seconds() -> float:
    """Read how long this process and its children have computed: on a machine that is shared, the clock tells nothing."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


RATIOS: pytest.StashKey[list[Ratio]] = pytest.StashKey()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RATIOS] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.benchmark(timer=cpu_seconds))


class Comparison:
    """Runs something in turns with its reference, and asserts how many times the reference it may take."""

    def __init__(self, benchmark: Any, ratios: list[Ratio]) -> None:
        self._benchmark = benchmark
        self._ratios = ratios

    def __call__(  # noqa: PLR0913 - what is compared, each by its name
        self, what: str, action: Action, *, reference: str, against: Action, at_most: float, rounds: int = 5
    ) -> None:
        reference_seconds: list[float] = []

        def measure_the_reference() -> None:
            gc.collect()
            begun = cpu_seconds()
            against()
            reference_seconds.append(cpu_seconds() - begun)
            gc.collect()

        self._benchmark.pedantic(action, setup=measure_the_reference, rounds=rounds)
        if self._benchmark.stats is None:  # --benchmark-disable
            return
        # The fastest rounds: what else the machine does (its caches, its collector) can only make a round slower.
        self._keep(Ratio(what, self._benchmark.stats.stats.min, reference, min(reference_seconds), at_most))

    def by_the_clock(self, what: str, action: Action, *, reference: str, against: Action, at_most: float) -> None:
        """Compare what waits more than it computes: three rounds of each, in turns."""
        self._benchmark.pedantic(lambda: None)  # it wants to be used; its timer is none for what waits
        rounds = [(_seconds(against), _seconds(action)) for _ in range(3)]
        bare, own = (min(times) for times in zip(*rounds, strict=True))
        self._keep(Ratio(what, own, reference, bare, at_most))

    def _keep(self, ratio: Ratio) -> None:
        self._ratios.append(ratio)
        assert ratio.value <= ratio.at_most, ratio.line


def _seconds(action: Action) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


@pytest.fixture
def ratios(request: pytest.FixtureRequest) -> list[Ratio]:
    """Hold what the table at the end shows."""
    return request.config.stash[RATIOS]


@pytest.fixture
def compare(benchmark: Any, ratios: list[Ratio]) -> Comparison:
    return Comparison(benchmark, ratios)


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    ratios = terminalreporter.config.stash[RATIOS]
    if not ratios:
        return
    terminalreporter.section("ratios")
    terminalreporter.line(
        f"{'':47} {'fastest':>13} {'reference':>13} {'ratio':>9} {'at most':>8}   reference", bold=True
    )
    for ratio in ratios:
        missed = ratio.value > ratio.at_most
        terminalreporter.line(ratio.line, red=missed, green=not missed)


@pytest.fixture(autouse=True)
def nothing_left_over() -> Iterator[None]:
    """Do not let the garbage of one benchmark be collected in the time of the next."""
    yield
    gc.collect()
