"""Matchers in expected arguments, checked when the eval set is loaded: a wrong schema would accept nothing, unseen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trajectory.evalset.document import Finding
from trajectory.matching import check_matchers
from trajectory.matching.schemas import MATCHER_KEY
from trajectory.settings import THREAD_KEYS, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import ConversationThread, ToolCall


@dataclass
class MatcherReport:
    """What is to be said about the matchers of a document.

    Attributes:
        findings: What is wrong with them.
        notes: What is suspicious, each with its JSON Pointer.
    """

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def report_on_matchers(text: str, threads: Iterable[tuple[str, ConversationThread]]) -> MatcherReport:
    """Check the matchers in the listed calls of threads whose `evaluation` turns matchers on.

    Args:
        text: The text of the document; one in which the key of matchers does not occur needs no search.
        threads: The threads, with the `evaluation` in force for them, each with its JSON Pointer in the document.

    Returns:
        What is wrong, and what is suspicious.
    """
    report = MatcherReport()
    if f'"{MATCHER_KEY}"' in text:
        for base, thread in threads:
            _report_on(thread, base, report)
    return report


def _report_on(thread: ConversationThread, base: str, report: MatcherReport) -> None:
    policy = read_settings(thread.evaluation or {}, keys=THREAD_KEYS, source=base).arguments
    on = policy.matchers or any(tool.matchers for tool in policy.tools.values())
    for number, trace in enumerate(thread.traces):
        place = f"{base}/traces/{number}/toolCalls"
        calls = trace.tool_calls or ()
        if not on and any(_holds_the_key(call) for call in calls):
            report.notes.append(f"{place}: {MATCHER_KEY} is plain data here: arguments.matchers is not on")
        for found in check_matchers(calls, policy):
            pointer = f"{place}/{found.call_index}/arguments{found.pointer}"
            if found.wrong:
                report.findings.append(Finding(pointer, "a matcher that can be carried out", "none", found.message))
            else:
                report.notes.append(f"{pointer}: {found.message}")


def _holds_the_key(call: ToolCall) -> bool:
    pending: list[object] = [call.arguments]
    for value in pending:  # grows while it is walked
        if isinstance(value, dict):
            if MATCHER_KEY in value:
                return True
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return False
