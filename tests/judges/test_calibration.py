"""How far a judge agrees with people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajectory import Calibration, LabelledAnswer, calibrate, load_labelled_answers
from trajectory.cli import main
from trajectory.errors import ConfigurationError
from trajectory.judges import judge_in_force
from trajectory.judges.calibration import Rating

if TYPE_CHECKING:
    from pathlib import Path


def ratings(*quadruples: tuple[bool, bool, float, int]) -> Calibration:
    return Calibration(tuple(Rating(*four) for four in quadruples))


TABLE = ratings(
    *[(True, True, 1.0, 10)] * 20,
    *[(True, False, 0.5, 10)] * 5,
    *[(False, True, 0.9, 10)] * 10,
    *[(False, False, 0.1, 10)] * 15,
)


def test_the_numbers_of_a_known_table() -> None:
    assert TABLE.agreement == pytest.approx(0.7)
    assert TABLE.kappa == pytest.approx(0.4)
    assert TABLE.false_pass_rate == pytest.approx(0.4)
    assert TABLE.false_fail_rate == pytest.approx(0.2)
    assert TABLE.length_bias is None


def test_what_cannot_be_known() -> None:
    nothing = Calibration(())
    assert (nothing.agreement, nothing.kappa, nothing.false_pass_rate, nothing.length_bias) == (None,) * 4
    assert ratings((True, True, 1.0, 5), (True, False, 0.0, 5)).kappa is None
    assert ratings((True, True, 1.0, 5)).false_pass_rate is None


def test_a_judge_that_lets_everything_pass_agrees_by_chance() -> None:
    assert ratings((True, True, 1.0, 5), (False, True, 1.0, 5)).kappa == 0


def test_bias_by_length_is_taken_within_labels() -> None:
    longer_is_better = ratings(
        *[(label, True, length / 100, length) for label in (True, False) for length in (10, 50, 90)]
    )
    assert (longer_is_better.length_bias or 0) > 0.9
    fair = ratings(
        *[(True, True, 1.0, length) for length in (80, 90)], *[(False, False, 0.1, length) for length in (10, 20)]
    )
    assert fair.length_bias is None  # the scores do not vary within a label


def long_is_good(prompt: str) -> str:
    return json.dumps({"score": 0.9 if "long" in prompt.rpartition("BEGIN DATA")[2] else 0.2, "reasoning": ""})


ANSWERS = [
    LabelledAnswer("q", "a long answer", label=True),
    LabelledAnswer("q", "a long lie", label=False),
    LabelledAnswer("q", "short", label=True),
    LabelledAnswer("q", "bad", label=False),
]


def test_a_judge_is_put_before_labelled_answers() -> None:
    found = calibrate(long_is_good, "accuracy", ANSWERS)
    assert (found.agreement, found.kappa, found.false_pass_rate, found.false_fail_rate) == (0.5, 0.0, 0.5, 0.5)
    assert judge_in_force() is None


def test_evidence_and_recorded_answers_reach_the_judge() -> None:
    prompts: list[str] = []

    def judge(prompt: str) -> str:
        prompts.append(prompt)
        return '{"score": 1}'

    labelled = LabelledAnswer("q", "it rains", label=True, expected="the recording", evidence=("rain all day",))
    assert calibrate(judge, {"groundedness": {}}, [labelled]).agreement == 1
    assert calibrate(judge, "semantic_similarity", [labelled]).agreement == 1
    assert "rain all day" in prompts[0]
    assert "the recording" in prompts[1]


def test_what_was_not_judged_is_told() -> None:
    found = calibrate(lambda _: "hm", "accuracy", ANSWERS[:1])
    assert found.ratings == ()
    assert found.errors == ("answer 1: the judge gave no JSON object: hm",)
    assert calibrate(long_is_good, "groundedness", ANSWERS[:1]).errors[0].startswith("answer 1: no tool gave")


@pytest.mark.parametrize(("label", "good"), [(1.0, True), (0.8, True), (0.79, False), (0, False), (1, True)])
def test_a_label_may_be_a_score(label: float, good: bool) -> None:  # noqa: FBT001 - a column
    found = calibrate(long_is_good, "accuracy", [LabelledAnswer("q", "long", label=label)])
    assert found.ratings[0].label is good
    strict = calibrate(long_is_good, {"accuracy": {"threshold": 1.0}}, [LabelledAnswer("q", "long", label=label)])
    assert strict.ratings[0].label is (label == 1)


def test_rules_that_ask_nobody() -> None:
    with pytest.raises(ConfigurationError, match="the rule length asks no judge; these do: semantic_similarity,"):
        calibrate(long_is_good, "length", ANSWERS)
    with pytest.raises(ConfigurationError, match="did you mean 'accuracy'"):
        calibrate(long_is_good, "acuracy", ANSWERS)


# --------------------------------------------------------------------------------------------------------------- files

LINES = '{"query": "q", "response": "long", "label": "pass"}\n\n{"query": "q", "response": "x", "label": false}\n'


@pytest.mark.parametrize("text", [LINES, json.dumps([json.loads(line) for line in LINES.splitlines() if line])])
def test_files(tmp_path: Path, text: str) -> None:
    file = tmp_path / "labels"
    file.write_text(text, encoding="utf-8")
    assert [answer.label for answer in load_labelled_answers(file)] == [True, False]


def test_a_line_of_the_file_may_hold_other_ends_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "labels"
    line = json.dumps({"query": "q", "response": "a\u2028b\x85c", "label": 0.5}, ensure_ascii=False)
    file.write_text(f"{line}\r\n{line}\r\n", encoding="utf-8", newline="")
    assert [(answer.response, answer.label) for answer in load_labelled_answers(file)] == [("a\u2028b\x85c", 0.5)] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected labelled answers, found none"),
        ("[]", "expected labelled answers, found none"),
        ('{"query": "q", "response": "r"}', ":1: /label: expected pass or fail, or a score from 0 to 1, found null"),
        (
            '{"query": "q", "response": "r", "label": "maybe"}',
            "/label: expected pass or fail, or a score from 0 to 1, found the string",
        ),
        (
            '{"query": "q", "response": "r", "label": 85}',
            "/label: expected pass or fail, or a score from 0 to 1, found",
        ),
        (
            '{"query": "q", "response": "r", "label": NaN}',
            ":1: expected a JSON object, found none: a number is not finite",
        ),
        (
            '{"query": "q", "response": "r", "label": "pass", "label": "fail"}',
            ":1: expected a JSON object, found none: a key",
        ),
        ('[{"query": "q", "response": "r", "label": "pass"},]', ":1: expected a JSON object, found none"),
        ('{"query": "q", "response": 5, "label": "pass"}', "/response: expected a text, found"),
        ('{"query": "q", "response": "r", "label": "pass", "lable": 1}', "found 'lable'"),
        ('{"query": "q", "response": "r", "label": "pass", "evidence": "x"}', "/evidence: expected a list of texts"),
        ('{"query": "q", "response": "r", "label": "pass"}\n{"query"', ":2: expected a JSON object"),
        ("[5]", "/0: expected an object with query, response and label"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "labels"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_labelled_answers(file)
    assert message in str(caught.value)


# ------------------------------------------------------------------------------------------------------------- command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    lines = [{"query": a.query, "response": a.response, "label": a.label} for a in ANSWERS]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (tmp_path / "calibration_judges.py").write_text(
        "from tests.judges.test_calibration import long_is_good\n\ndef down(prompt):\n    raise OSError('down')\n",
        encoding="utf-8",
    )
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 0, "agreement         50.0%"),
        (["--min-agreement", "0.5"], 0, "Cohen's kappa     +0.00"),
        ([], 0, "false-pass rate   50.0%, 1 of the 2 answers that people fail (95 %: 9.5% to 90.5%)"),
        (["--min-agreement", "0.6"], 1, "the agreement is 50.0%, at least 60.0% required"),
        (["--max-false-pass-rate", "0.1"], 1, "the false-pass rate is 50.0%, at most 10.0% allowed"),
        (["--min-agreement", "80"], 2, "Invalid value"),
    ],
)
def test_the_command(folder: Path, words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    base = ["calibrate", "labels.jsonl", "--rule", "accuracy", "--judge", "calibration_judges:long_is_good"]
    assert main([*base, *words]) == code
    captured = capsys.readouterr()
    assert said in captured.out + captured.err


def test_the_command_without_verdicts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base: list[Any] = ["calibrate", "labels.jsonl", "--rule", "accuracy"]
    assert main([*base, "--judge", "calibration_judges:down"]) == 3
    assert "not judged: answer 1: the judge cannot be reached: OSError: down" in capsys.readouterr().out
    assert main(base) == 2
    assert "no judge is configured" in capsys.readouterr().err


def test_the_command_says_why_a_number_is_not_known(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "good.jsonl").write_text('{"query": "q", "response": "long", "label": 1}', encoding="utf-8")
    assert main(["calibrate", "good.jsonl", "--rule", "accuracy", "--judge", "calibration_judges:long_is_good"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "judged            1 of 1 answers",
        "agreement         100.0%, 1 of the 1 answers that were judged (95 %: 20.7% to 100.0%)",
        "Cohen's kappa     not known: people gave only one label",
        "false-pass rate   not known: there are no answers that people fail",
        "false-fail rate   0.0%, 0 of the 1 answers that people let pass (95 %: 0.0% to 79.3%)",
        "bias by length    not known: scores or lengths do not vary within a label",
    ]


def test_the_command_keeps_answers(folder: Path) -> None:
    base = ["calibrate", "labels.jsonl", "--rule", "accuracy", "--judge-cache", "kept"]
    assert main([*base, "--judge", "calibration_judges:long_is_good"]) == 0
    assert (folder / "kept").exists()
