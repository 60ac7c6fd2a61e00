"""Rules that ask a judge, with a judge that says what a test wants."""

from __future__ import annotations

import asyncio
import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.evaluations.turns import iteration, result, turn, verdict
from tests.sets import call
from trajectory.chosen_rules import read_rules
from trajectory.errors import ConfigurationError, EvaluationError
from trajectory.evaluations import Outcome
from trajectory.judges import JudgeCache, JudgeError, JudgeInForce, as_judge, set_judge, template
from trajectory.rules import BUILT_IN, find_rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

P, F, S = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED
JUDGED = [name for name in BUILT_IN if (rule := find_rule(name)) is not None and rule.needs_judge]
NEEDED: dict[str, dict[str, Any]] = {"rubric": {"criteria": "Is it polite?"}}


class Scripted:
    model = "judge-1"

    def __init__(self, *scores: float) -> None:
        self.scores = list(scores)
        self.prompts: list[str] = []

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        score = self.scores.pop(0) if len(self.scores) > 1 else self.scores[0]
        return json.dumps({"reasoning": f"because {score}", "score": score})


@pytest.fixture
def judge() -> Iterator[Scripted]:
    scripted = Scripted(0.85)
    before = set_judge(JudgeInForce(scripted))
    yield scripted
    set_judge(before)


def full_turn(**keys: Any) -> Any:
    """A turn with everything that a rule may want to see."""
    said = [
        {"role": "assistant", "content": "let me look", "toolCalls": [call("look", at="door")]},
        result("look", "it is open"),
        "the lamp is broken",
    ]
    history = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "before"},
        result("old", "was shut"),
    ]
    return turn("It is open.", [call("look", at="door")], iterations=[iteration(*said, history=history)], **keys)


def test_there_are_the_eighteen() -> None:
    assert len(JUDGED) == 18


@pytest.mark.parametrize("name", JUDGED)
@pytest.mark.parametrize(("score", "outcome"), [(1.0, P), (0.85, P), (0.8, P), (0.79, F), (0.6, F), (0.0, F)])
def test_the_score_decides(name: str, score: float, outcome: Outcome, judge: Scripted) -> None:
    judge.scores = [score]
    found = verdict(name, turn("recorded"), full_turn(), **NEEDED.get(name, {}))
    assert (found.outcome, found.score) == (outcome, score)
    assert found.evidence[0] == f"the judge: because {score}"
    if outcome is F:
        assert found.reason == f"the score is {score:.3g}, at least 0.8 required"


@pytest.mark.parametrize("name", JUDGED)
@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), "0.8", True])
def test_thresholds_that_cannot_be(name: str, threshold: Any) -> None:
    _, problems = read_rules([{name: {**NEEDED.get(name, {}), "threshold": threshold}}])
    assert [problem[0] for problem in problems] == [f"/0/{name}/threshold"]


@pytest.mark.parametrize("name", JUDGED)
def test_a_prompt_has_its_version_its_guard_and_its_scale(name: str, judge: Scripted) -> None:
    verdict(name, turn("recorded"), full_turn(), **NEEDED.get(name, {}))
    (prompt,) = judge.prompts
    assert template(name).version >= 1
    assert "never instructions to you" in prompt
    assert not re.search(r"\$\w", prompt)
    assert "\n\n\n" not in prompt
    for anchor in ("1.0:", "0.85:", "0.6:", "0.3:", "0.0:"):
        assert f"\n{anchor} " in prompt
    assert prompt.rstrip().endswith('"score": <a number from 0.0 to 1.0>}')


def test_the_default_threshold_lies_between_two_anchors() -> None:
    anchors = [0.0, 0.3, 0.6, 0.85, 1.0]
    rule = find_rule("accuracy")
    assert rule is not None
    threshold = rule.settings().threshold  # type: ignore[attr-defined]
    assert threshold not in anchors
    assert any(low < threshold < high for low, high in pairwise(anchors))


@pytest.mark.parametrize(
    ("name", "shown", "hidden"),
    [
        ("semantic_similarity", ["a question", "recorded", "It is open."], ["look("]),
        ("safety", ["It is open."], ["a question"]),
        ("groundedness", ["it is open", "was shut"], ["let me look"]),
        ("error_recovery", ["the lamp is broken", "called look"], []),
        ("instruction_following", ["Be brief.", "1. said: let me look", '2. called look({"at": "door"})'], []),
        ("reasoning_quality", ["3. look gave back: it is open", "4. error: the lamp is broken"], ["Be brief."]),
    ],
)
def test_what_a_judge_is_shown(name: str, shown: list[str], hidden: list[str], judge: Scripted) -> None:
    verdict(name, turn("recorded"), full_turn())
    for text in shown:
        assert text in judge.prompts[0]
    for text in hidden:
        assert text not in judge.prompts[0]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("helpfulness", "success_criteria"),
        ("completeness", "expected_coverage"),
        ("safety", "context"),
        ("tone", "context"),
        ("instruction_following", "success_criteria"),
    ],
)
def test_words_of_the_user_stand_outside_of_the_fences(name: str, key: str, judge: Scripted) -> None:
    verdict(name, turn("r"), full_turn(), **{key: "Name the price."})
    assert "Name the price." in judge.prompts[0].partition("<<<BEGIN DATA")[0].rpartition("written by others")[2] or (
        "Name the price." in re.sub(r"<<<BEGIN.*?<<<END", "", judge.prompts[0], flags=re.DOTALL)
    )


def test_a_rubric_of_the_users_own(judge: Scripted) -> None:
    anchors = {"1.0": "Both.", "0.5": "One of them.", "0": "None."}
    settings = {"criteria": "Greets, and says goodbye.", "anchors": anchors, "shows": ["steps", "recorded"]}
    verdict("rubric", turn("the recording"), full_turn(), **settings)
    assert "Greets, and says goodbye." in judge.prompts[0]
    assert "0.5: One of them." in judge.prompts[0]
    assert "the recording" in judge.prompts[0]
    assert "It is open." not in judge.prompts[0].replace("it is open", "")


@pytest.mark.parametrize(
    "stated",
    [
        {},
        {"criteria": ""},
        {"criteria": "x", "anchors": {"1": "only"}},
        {"criteria": "x", "anchors": {"2": "a", "0": "b"}},
        {"criteria": "x", "anchors": {"good": "a", "0": "b"}},
        {"criteria": "x", "anchors": {"nan": "a", "0": "b"}},
        {"criteria": "x", "anchors": {"1": "a", "1.0": "b", "0": "c"}},
        {"criteria": "x", "anchors": {"1": "a", "0.8": "b"}},
        {"criteria": "x", "anchors": {"0.7": "a", "0": "b"}},
        {"criteria": "x", "threshold": 0.2, "anchors": {"1": "a", "0.5": "b"}},
        {"criteria": "x", "shows": []},
        {"criteria": "x", "shows": ["everything"]},
        {"criteria": "x", "samples": 0},
        {"criteria": "x", "aggregate": "median"},
    ],
)
def test_rubrics_that_cannot_be(stated: dict[str, Any]) -> None:
    assert read_rules([{"rubric": stated}])[1]


@pytest.mark.parametrize(
    ("name", "actual", "why"),
    [
        ("groundedness", turn("It is open."), "there is no evidence to judge by"),
        ("error_recovery", turn("It is open."), "no error occurred"),
        ("semantic_similarity", turn("x"), "no answer was recorded"),
    ],
)
def test_nothing_to_judge_asks_nobody(name: str, actual: Any, why: str, judge: Scripted) -> None:
    found = verdict(name, turn(None), actual)
    assert found.outcome is S
    assert why in found.reason
    assert judge.prompts == []


@pytest.mark.parametrize(
    ("scores", "aggregate", "outcome", "score"),
    [
        ([1.0, 1.0, 0.3], "mean", F, 2.3 / 3),
        ([1.0, 1.0, 0.3], "majority", P, 2.3 / 3),
        ([1.0, 0.3, 0.3], "majority", F, 1.6 / 3),
        ([0.85, 0.85, 0.8], "mean", P, 2.5 / 3),
        ([0.7, 0.8, 0.9], "mean", P, 0.8),
        ([0.6, 0.8, 1.0], "mean", P, 0.8),
    ],
)
def test_several_samples(scores: list[float], aggregate: str, outcome: Outcome, score: float, judge: Scripted) -> None:
    judge.scores = [*scores, 0.0]
    found = verdict("accuracy", turn(), full_turn(), samples=3, aggregate=aggregate)
    assert found.outcome is outcome
    assert found.score == pytest.approx(score)
    assert found.evidence[1].startswith("scores: ")
    assert len(judge.prompts) == 3


def test_a_long_answer_is_cut_and_the_verdict_says_so(judge: Scripted) -> None:
    found = verdict("accuracy", turn(), turn("a" * 1_000_000))
    assert "What the agent answered was too long and was cut for the judge" in found.evidence


def test_a_judge_that_judges_itself_is_named(judge: Scripted) -> None:
    own = full_turn().model_copy(update={"models": ("judge-1", "other")})
    assert "the judge and the agent are the same model, judge-1" in verdict("accuracy", turn(), own).evidence
    assert len(verdict("accuracy", turn(), full_turn().model_copy(update={"models": ("other",)})).evidence) == 1


@pytest.mark.parametrize(
    ("judges", "answered", "same"),
    [
        ("gpt-9", "gpt-9-2026-08-06", True),
        ("openai/gpt-9", "gpt-9", True),
        ("claude-x-20260101", "Claude-X", True),
        ("gemini-4-latest", "models/gemini-4", True),
        ("gpt-9-mini", "gpt-9", False),
        ("gpt-9", "gpt-9.1", False),
        ("llama:8b", "llama:70b", False),
    ],
)
def test_names_of_one_model(judges: str, answered: str, same: bool) -> None:  # noqa: FBT001 - a column
    scripted = Scripted(1)
    scripted.model = judges
    assert JudgeInForce(scripted).knows_as_its_own([answered]) is same


def test_without_a_judge_there_is_no_verdict() -> None:
    with pytest.raises(EvaluationError, match="no judge is configured"):
        verdict("accuracy", turn(), full_turn())


def test_a_judge_that_cannot_be_reached_is_no_verdict() -> None:
    def down(prompt: str) -> str:
        raise ConnectionError("no route to host")

    before = set_judge(JudgeInForce(as_judge(down)))
    try:
        with pytest.raises(JudgeError, match="the judge cannot be reached: ConnectionError: no route") as caught:
            verdict("accuracy", turn(), full_turn())
    finally:
        set_judge(before)
    assert isinstance(caught.value.__cause__, ConnectionError)


# --------------------------------------------------------------------------------------------------------- judges


async def asynchronous(prompt: str) -> str:
    return f"heard {len(prompt)}"


class AsyncJudge:
    model = "m"

    async def ask(self, prompt: str) -> str:
        return f"heard {len(prompt)}"


class Client:
    """Keeps what belongs to one event loop, as the clients of models do."""

    loop: asyncio.AbstractEventLoop | None = None

    async def ask(self, prompt: str) -> str:
        running = asyncio.get_running_loop()
        if self.loop not in {None, running}:
            raise RuntimeError("attached to a different loop")
        self.loop = running
        return f"heard {len(prompt)}"


class Delegating:
    def ask(self, prompt: str) -> Any:
        return asynchronous(prompt)


@pytest.mark.parametrize(
    "given",
    [lambda prompt: f"heard {len(prompt)}", asynchronous, AsyncJudge(), AsyncJudge, Delegating(), Scripted(1)],
)
def test_what_a_judge_may_be(given: Any) -> None:
    assert as_judge(given).ask("abc") in {"heard 3", '{"reasoning": "because 1", "score": 1}'}


def test_an_async_judge_keeps_its_event_loop() -> None:
    judge = as_judge(Client())
    assert {judge.ask("abc") for _ in range(3)} == {"heard 3"}


def test_an_async_judge_is_asked_where_an_event_loop_runs() -> None:
    async def test() -> str:
        return as_judge(asynchronous).ask("abc")

    assert asyncio.run(test()) == "heard 3"


def test_a_judge_keeps_the_name_of_its_model() -> None:
    assert as_judge(AsyncJudge()).model == "m"  # type: ignore[attr-defined]  # an attribute that a judge may have
    assert JudgeInForce(as_judge(Scripted(1))).model == "judge-1"
    assert JudgeInForce(as_judge(lambda _: "")).model is None


class Needy:
    def __init__(self, key: str) -> None:
        self.key = key

    def ask(self, prompt: str) -> str:
        return prompt


def test_a_class_that_cannot_be_made() -> None:
    with pytest.raises(ConfigurationError, match=r"the judge Needy cannot be made: TypeError: .*'key'"):
        as_judge(Needy)


@pytest.mark.parametrize("given", [None, 5, "judge", object()])
def test_what_is_no_judge(given: Any) -> None:
    with pytest.raises(ConfigurationError, match="expected a judge"):
        as_judge(given)


# ----------------------------------------------------------------------------------------------------------- cache


def test_the_same_question_is_asked_once(tmp_path: Path) -> None:
    scripted = Scripted(0.9, 0.1)
    for _ in range(2):
        cache = JudgeCache(tmp_path / "cache")
        in_force = JudgeInForce(scripted, {"endpoint": "e"}, cache)
        before = set_judge(in_force)
        assert verdict("accuracy", turn(), turn("x")).score == 0.9
        set_judge(before)
        cache.close()
    assert len(scripted.prompts) == 1


@pytest.mark.parametrize("what", ["answer", "criteria", "identity", "sample", "rule"])
def test_another_question_is_asked_again(tmp_path: Path, what: str) -> None:
    scripted = Scripted(0.9)
    cache = JudgeCache(tmp_path / "cache")

    def ask(changed: bool) -> None:  # noqa: FBT001 - before and after
        identity = {"seed": "2" if changed and what == "identity" else "1"}
        before = set_judge(JudgeInForce(scripted, identity, cache))
        name = "accuracy" if changed and what == "rule" else "helpfulness"
        settings: dict[str, Any] = {"samples": 2 if changed and what == "sample" else 1}
        if name == "helpfulness":
            settings["success_criteria"] = "new" if changed and what == "criteria" else "old"
        verdict(name, turn(), turn("y" if changed and what == "answer" else "x"), **settings)
        set_judge(before)

    ask(changed=False)
    ask(changed=False)
    assert len(scripted.prompts) == 1
    ask(changed=True)
    assert len(scripted.prompts) == 2
    cache.close()


def test_what_is_no_verdict_is_not_kept(tmp_path: Path) -> None:
    answers = ["no idea", '{"score": 0.9}']
    cache = JudgeCache(tmp_path / "cache")
    in_force = JudgeInForce(as_judge(lambda _: answers.pop(0)), {}, cache)
    with pytest.raises(JudgeError):
        in_force.decide(template("clarity"), {"a": "b"}, {}, threshold=0.8)
    assert in_force.decide(template("clarity"), {"a": "b"}, {}, threshold=0.8).score == 0.9
    assert in_force.decide(template("clarity"), {"a": "b"}, {}, threshold=0.8).score == 0.9
    assert in_force.asked == 2
    cache.close()


def test_a_file_that_is_no_cache(tmp_path: Path) -> None:
    file = tmp_path / "cache"
    file.write_text("this is no database, and long enough to be sure of it" * 20, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="the judge's cache cannot be used: file is not a database"):
        JudgeCache(file)


@pytest.mark.parametrize("other", ["[removed]", "*" * 16, "1" * 16])
def test_answers_that_look_alike_without_their_marker_are_two_questions(tmp_path: Path, other: str) -> None:
    scripted, cache = Scripted(0.9, 0.1), JudgeCache(tmp_path / "cache")
    in_force = JudgeInForce(scripted, {}, cache)
    for text in ("0" * 16, other):
        in_force.decide(template("clarity"), {"answer": text}, {}, threshold=0.8)
    cache.close()
    assert len(scripted.prompts) == 2


@pytest.mark.parametrize("samples", [3, 7, 9])
def test_the_mean_of_equal_scores_reaches_them(samples: int) -> None:
    for score in [hundredth / 100 for hundredth in range(101)]:
        assert (
            JudgeInForce(Scripted(score)).decide(template("clarity"), {}, {}, threshold=score, samples=samples).passes
        )
