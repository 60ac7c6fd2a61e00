"""GitHub shows ten annotations of a level for a step: what the run as a whole has to say must be among them."""

from __future__ import annotations

import pytest

from tests.report.run_files import BAD, GOOD, recorded, run_of
from trajectory.report.forms import render
from trajectory.report.github import SHOWN

TOLERATED = [recorded("bad", *BAD).model_copy(update={"id": f"bad-{number}"}) for number in range(15)]


def warned(count: int) -> list[str]:
    run = run_of(*TOLERATED, recorded("good", *GOOD), warnings=tuple(f"warning {n}" for n in range(count)))
    return render(run, "github").splitlines()


@pytest.mark.parametrize("count", [0, 1, SHOWN, SHOWN + 3])
def test_no_more_are_written_than_are_shown(count: int) -> None:
    lines = warned(count)
    warnings = [line for line in lines if line.startswith("::warning ")]
    assert len(warnings) == SHOWN
    assert sum("thread bad-" in line for line in warnings) == (SHOWN if count == 0 else SHOWN - 1)
    assert f"{15 - SHOWN + bool(count)} more threads have no annotation" in lines[0]


def test_what_makes_the_run_mean_less_stands_first_and_is_counted() -> None:
    first = next(line for line in warned(SHOWN + 3) if line.startswith("::warning "))
    assert "what makes the run mean less" in first
    assert ("warning 9" in first, "warning 10" in first, "... and 3 more" in first) == (True, False, True)
