"""Each prompt has a version, which changes whenever its words do: what was measured with other words is measured again."""

from __future__ import annotations

import hashlib

import pytest

from trajectory.judges import Fence, template
from trajectory.judges.reading import REPLY
from trajectory.rules import BUILT_IN, find_rule

WORDS = {
    "semantic_similarity": (1, "4e119c08fb27"),
    "accuracy": (1, "50c23adeabb7"),
    "helpfulness": (1, "a9215511f3d7"),
    "clarity": (1, "86b5a0d5e1dc"),
    "completeness": (1, "d8aff443f2eb"),
    "relevance": (1, "05d7c509b990"),
    "coherence": (1, "81451ebd4d66"),
    "conciseness": (1, "9aa09a3a8237"),
    "safety": (1, "2703920b10ea"),
    "tone": (1, "961ba09be833"),
    "groundedness": (1, "3da9dac0a72b"),
    "reasoning_quality": (1, "4af3fff9a77f"),
    "path_efficiency": (1, "dcd477414051"),
    "error_recovery": (1, "583310f13dca"),
    "instruction_following": (1, "37ef61073b86"),
    "bias": (1, "e3342ecc596c"),
    "toxicity": (1, "22f1d38d51c5"),
    "rubric": (1, "c2674673fbb0"),
}
"""For each prompt its version and the beginning of the SHA-256 of its words."""


def test_every_judge_has_its_prompt() -> None:
    assert set(WORDS) == {name for name in BUILT_IN if (rule := find_rule(name)) is not None and rule.needs_judge}


@pytest.mark.parametrize("name", WORDS)
def test_other_words_have_another_version(name: str) -> None:
    found = template(name)
    assert (found.version, hashlib.sha256(found.text.encode()).hexdigest()[:12]) == WORDS[name]


def test_words_that_all_prompts_share() -> None:
    """When these change, every prompt gets a new version."""
    said = REPLY + Fence("any").guard
    assert hashlib.sha256(said.encode()).hexdigest()[:12] == "bb3f8d090398"
