"""A run as JUnit XML, as the schema of Jenkins (``junit-10.xsd`` of its xUnit plugin) has it."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from trajectory.evaluations import Outcome
from trajectory.json_values import printable
from trajectory.report.facts import alarms, explanation, gate_over, reasons, rule_scores, runs_passed, seconds
from trajectory.report.in_force import recorded_in_force
from trajectory.report.text import count
from trajectory.rules import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajectory.runs import RunFile, ThreadEntry
    from trajectory.runs.comparison import Comparison

_ELEMENTS: Final = {Outcome.FAILED: "failure", Outcome.ERROR: "error", Outcome.SKIPPED: "skipped"}
_COMMAND_START: Final = re.compile(r"(^|\n)(\s*)::")


def junit_report(run: RunFile, comparison: Comparison | None = None) -> str:
    """Report a run as JUnit XML.

    Every eval set is a suite and every thread a test case. A last suite holds the gates: a failure where one failed,
    and an error where the run is not whole, so that a run that did not pass is nowhere shown as green.

    Args:
        run: The run.
        comparison: Not shown: the format has no place for it.

    Returns:
        The document.
    """
    del comparison
    root = Element("testsuites", name="trajectory", time=_time(run.spent.seconds))
    by_set: defaultdict[str, list[ThreadEntry]] = defaultdict(list)
    for entry in run.threads:
        by_set[entry.eval_set].append(entry)
    for path, entries in by_set.items():
        _suite(root, run, path, entries)
    _gates(root, run)
    _count_cases(root)
    indent(root)
    return _defused(tostring(root, encoding="unicode", xml_declaration=False))


def _suite(root: Element, run: RunFile, path: str, entries: Sequence[ThreadEntry]) -> None:
    took = _time(sum(map(seconds, entries)))
    suite = SubElement(root, "testsuite", name=_line(path), time=took, timestamp=_line(run.started))
    properties = SubElement(suite, "properties")
    for name, value in _properties(run, entries):
        SubElement(properties, "property", name=_line(name), value=_line(value))
    for entry in entries:
        _case(suite, entry)


def _properties(run: RunFile, entries: Sequence[ThreadEntry]) -> Iterator[tuple[str, str]]:
    yield "agent", run.agent
    yield "settings", recorded_in_force(entries, gate_over(run, entries[0].eval_set))
    found: defaultdict[str, list[float]] = defaultdict(list)
    for entry in entries:
        for rule, score in rule_scores(entry).items():
            found[rule].append(score)
    yield from ((f"mean score of {label(rule)}", f"{sum(given) / len(given):.3f}") for rule, given in found.items())


def _case(suite: Element, entry: ThreadEntry) -> None:
    case = SubElement(
        suite, "testcase", name=_line(entry.id), classname=_line(entry.eval_set), time=_time(seconds(entry))
    )
    if entry.outcome in _ELEMENTS:
        said = SubElement(case, _ELEMENTS[entry.outcome], type=entry.outcome.value, message=_line(entry.headline))
        said.text = _text(reasons(entry)) or None
    SubElement(case, "system-out").text = _text(_told(entry))


def _told(entry: ThreadEntry) -> list[str]:
    """Explain a thread, and tell its scores and how its runs ended."""
    scores = [f"score of {label(rule)}: {score:.3g}" for rule, score in rule_scores(entry).items()]
    runs = [f"{runs_passed(entry)} of {count(entry.repetitions, 'run')} passed, {entry.pass_runs} must: {entry.label}"]
    return [*(printable(line) for line in (*scores, *runs)), *explanation(entry)]


def _gates(root: Element, run: RunFile) -> None:
    suite = SubElement(root, "testsuite", name="gates", time=_time(0), timestamp=_line(run.started))
    for gate in run.gates:
        case = SubElement(suite, "testcase", name=_line(gate.name), classname="gates", time=_time(0))
        if not gate.passed:
            message = _line("; ".join(gate.reasons) or gate.summary)
            SubElement(case, "failure", type="gate", message=message).text = _text([gate.summary])
        if gate.warnings:
            SubElement(case, "system-out").text = _text(f"warning: {warning}" for warning in gate.warnings)
    if alarms(run):
        case = SubElement(suite, "testcase", name="the run is whole", classname="gates", time=_time(0))
        SubElement(case, "error", type="incomplete", message=_line("; ".join(alarms(run))))
    told = [*(f"warning: {text}" for text in run.warnings), *(f"note: {text}" for text in run.notes)]
    if told:
        SubElement(suite, "system-out").text = _text(told)


def _count_cases(root: Element) -> None:
    """Count the cases of each suite and of all; the schema asks for the numbers."""
    for suite in (*root, root):
        numbers = {
            "tests": len(list(suite.iter("testcase"))),
            "failures": len(list(suite.iter("failure"))),
            "errors": len(list(suite.iter("error"))),
        }
        if suite is not root:
            numbers["skipped"] = len(list(suite.iter("skipped")))
        for name, number in numbers.items():
            suite.set(name, str(number))


def _time(value: float) -> str:
    """Write seconds with as many decimals as the schema allows."""
    return f"{value:.3f}" if 0 <= value < math.inf else "0.000"


def _line(text: str) -> str:
    return printable(text)


def _text(lines: Iterable[str]) -> str:
    return "\n".join(map(printable, lines))


def _defused(document: str) -> str:
    """Write what a CI service would read as a command, where the document is printed, as references to characters."""
    document = _COMMAND_START.sub(r"\1\2&#58;:", document.replace("##", "#&#35;"))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{document}\n'
