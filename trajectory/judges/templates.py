"""The prompts: one readable file each, in ``prompts/``, with a version that changes whenever its words do."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from trajectory.judges.reading import REPLY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajectory.judges.fencing import Fence

_HEAD: Final = re.compile(r"version: (\d+)\n\n", re.ASCII)


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt with places for the data.

    Attributes:
        name: What is judged.
        version: The version of its words.
        text: The words; ``$guard``, ``$data``, ``$reply`` and others stand for what is put in.
    """

    name: str
    version: int
    text: str

    def prompt(self, data: Mapping[str, str], trusted: Mapping[str, str], fence: Fence) -> str:
        """Put in the data.

        Args:
            data: The untrusted texts by their labels; they are fenced.
            trusted: What the user of this package states: criteria and the like, by the names in the template.
            fence: The fence of this prompt.

        Returns:
            The prompt.
        """
        fenced = "\n\n".join(fence.fenced(label, text) for label, text in data.items())
        parts = {"extra": "", **trusted, "guard": fence.guard, "data": fenced, "reply": REPLY}
        return string.Template(self.text if parts["extra"] else self.text.replace("\n$extra\n", "\n")).substitute(parts)


@lru_cache(maxsize=64)
def template(name: str) -> Template:
    """Load the prompt of this package for something.

    Args:
        name: What is judged.

    Returns:
        The template.
    """
    text = resources.files("trajectory.judges").joinpath(f"prompts/{name}.txt").read_text("utf-8")
    head = _HEAD.match(text)
    if head is None:
        raise ValueError(f"the prompt {name} does not begin with its version")
    return Template(name, int(head[1]), text[head.end() :])
