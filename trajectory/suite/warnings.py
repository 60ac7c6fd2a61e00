"""What makes a run mean less than it seems to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.settings import Settings
    from trajectory.suite.loading import LoadedEvalSet


def run_warnings(  # noqa: PLR0913 - what is counted, each by its name
    eval_sets: Iterable[LoadedEvalSet],
    command_line: Settings,
    ini: Settings,
    *,
    uncounted_turns: int,
    same_model_turns: int,
    live_turns: int,
) -> list[str]:
    """Say which settings have no effect, or not the whole.

    Args:
        eval_sets: The eval sets of the run.
        command_line: What the command line states.
        ini: What the ini file states.
        uncounted_turns: How many turns did not say what the budget counts.
        same_model_turns: How many turns the judge judged that its own model had answered.
        live_turns: How many turns called live tools where the recording had no answer.

    Returns:
        The warnings.
    """
    unseen = f"the budget did not see what {_turns(uncounted_turns)} took: the agent reported no usage"
    judged = f"the judge judged its own model in {_turns(same_model_turns)}: it may be lenient"
    unused = [warning for loaded in eval_sets for warning in loaded.unused(command_line, ini)]
    live = f"{_turns(live_turns)} called live tools where the recording had no answer: the verdicts rest on them too"
    said = [(uncounted_turns, unseen), (same_model_turns, judged), (live_turns, live)]
    return [*(words for number, words in said if number), *unused]


def _turns(number: int) -> str:
    return f"{number} turn{'s' * (number != 1)}"
