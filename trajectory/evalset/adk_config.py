"""The ``test_config.json`` that Google ADK keeps beside its eval sets, as settings of the set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from trajectory.errors import EvalSetError
from trajectory.evalset.cursor import Cursor
from trajectory.evalset.files import read_document
from trajectory.evalset.model import Origin

if TYPE_CHECKING:
    from trajectory.evalset.model import EvalSet
    from trajectory.json_values import JsonObject

_NAME: Final = "test_config.json"
_KEYS: Final = ("criteria", "custom_metrics", "user_simulator_config", "live_model_config", "_comment")
_TRAJECTORY: Final = "tool_trajectory_avg_score"
_CRITERION_KEYS: Final = ("threshold", "match_type", "ignore_args")
_MATCH_MODES: Final = {"EXACT": "STRICT", "IN_ORDER": "IN_ORDER", "ANY_ORDER": "SUPERSET"}


def with_config(eval_set: EvalSet) -> EvalSet:
    """Give an eval set of Google ADK the settings that stand in the file beside it, if there is one.

    Args:
        eval_set: The eval set as its own file states it.

    Returns:
        The eval set with these settings as its `evaluation`, and with notes on what cannot be honoured.

    Raises:
        EvalSetError: The configuration breaks its format.
    """
    path = Path(eval_set.path or "").with_name(_NAME)
    if not path.is_file():
        return eval_set
    document, notes = read_document(path), list[str]()
    root = Cursor(document.value)
    evaluation = _evaluation(root, notes)
    if root.findings:
        raise EvalSetError(document.problems(list(dict.fromkeys(root.findings))))
    noted = tuple(f"{document.file}: {note}" for note in notes)
    changed = eval_set.model_copy(update={"evaluation": evaluation})
    return changed.read_from(Origin(eval_set.path, eval_set.shape, (*eval_set.notes, *noted)))


def _evaluation(root: Cursor, notes: list[str]) -> JsonObject:
    root.allow(_KEYS, "a test configuration")
    criteria = root.need("criteria")
    others = [name for name in criteria.object() if name != _TRAJECTORY]
    notes += [f"{criteria.pointer}: the criterion {name!r} is not evaluated" for name in others]
    criterion = criteria.get(_TRAJECTORY)
    if criterion is None:
        notes.append(f"no {_TRAJECTORY!r}; the tool calls are compared all the same")
        return {}
    if not isinstance(criterion.value, dict):
        _check_threshold(criterion, notes)
        return {"match_mode": "STRICT"}
    criterion.allow(_CRITERION_KEYS, f"the criterion {_TRAJECTORY}")
    _check_threshold(criterion.need("threshold"), notes)
    return {"match_mode": _match_mode(criterion.get("match_type"))} | _policy(criterion.get("ignore_args"))


def _check_threshold(threshold: Cursor, notes: list[str]) -> None:
    value = threshold.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        threshold.wrong("a threshold from 0 to 1")
    elif value < 1:
        notes.append(
            f"{threshold.pointer}: a mean of {value} over the turns is not enough here: every turn has to match"
        )


def _match_mode(match_type: Cursor | None) -> str:
    """Read a type of matching as ADK does: in any case, with hyphens or blanks, or by its number."""
    if match_type is None:
        return "STRICT"
    names = list(_MATCH_MODES)
    value = match_type.value
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
        value = names[value]
    name = value.strip().upper().replace("-", "_").replace(" ", "_") if isinstance(value, str) else ""
    if name not in _MATCH_MODES:
        match_type.wrong(f"one of {', '.join(names)}")
    return _MATCH_MODES.get(name, "STRICT")


def _policy(ignore_args: Cursor | None) -> JsonObject:
    if ignore_args is not None and not isinstance(ignore_args.value, bool):
        ignore_args.wrong("true or false")
    return {"arguments": {"policy": "ignore"}} if ignore_args is not None and ignore_args.value is True else {}
