"""Import an agent by its name."""

from __future__ import annotations

import importlib
import re
import sys
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import AgentError, did_you_mean
from trajectory.replay.failures import AgentFailure

if TYPE_CHECKING:
    from pathlib import Path

_REFERENCE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def import_agent(reference: str, *, folder: Path, what: str = "agent") -> Any:
    """Import what ``module:attribute`` names.

    Args:
        reference: The module and the attribute in it, both may be dotted.
        folder: Where modules are looked for beside Python's own search path; it is put on that path.
        what: What is imported, for messages.

    Returns:
        The attribute: an agent, or what makes one.

    Raises:
        AgentError: The reference is misspelt, the module cannot be imported, or it has no such attribute.
    """
    if not _REFERENCE.fullmatch(reference) or ".py:" in reference:
        raise AgentError(f"the {what} {reference!r} is not named as module:attribute{_hint(reference, what)}")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    module_name, _, path = reference.partition(":")
    found, where = _import(module_name, folder, what), module_name
    for name in path.split("."):
        found, where = _attribute(found, name, where, what), f"{where}.{name}"
    if found is None:
        raise AgentError(f"the {what} {reference!r} is None")
    return found


def _import(name: str, folder: Path, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as problem:
        if problem.name is not None and (name == problem.name or name.startswith(problem.name + ".")):
            raise AgentError(
                f"the {what}'s module {name!r} is not found, neither installed nor under {folder}"
            ) from None
        raise _broken(f"the {what}'s module {name!r} cannot be imported", problem) from problem
    except BaseException as problem:  # a module that ends with sys.exit(0) would end the run in success
        raise _broken(f"the {what}'s module {name!r} cannot be imported", problem) from problem


def _attribute(found: Any, name: str, where: str, what: str) -> Any:
    try:
        return getattr(found, name)
    except AttributeError:
        public = [candidate for candidate in dir(found) if not candidate.startswith("_")]
        hint = did_you_mean(name, public)
        raise AgentError(f"the {what} is not found: there is no {name!r} in {where}{hint and f' ({hint})'}") from None
    except Exception as problem:
        raise _broken(f"the {what} {name!r} in {where} cannot be read", problem) from problem


def _broken(what: str, problem: BaseException) -> AgentError:
    failure = AgentFailure.of(problem)
    why = failure.text.removeprefix("the agent raised ")
    return AgentError("\n  ".join([f"{what}: {why}", *failure.details]))


def _hint(reference: str, what: str) -> str:
    if ".py" in reference:
        path, _, attribute = reference.partition(":")
        module = path.removesuffix(".py").strip("./").replace("/", ".")
        return f" (did you mean '{module}:{attribute or 'attribute'}'?)"
    return "" if ":" in reference or not reference else f" (such as '{reference}:{what}')"
