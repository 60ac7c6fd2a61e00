"""A judge behind a real endpoint on loopback that also misbehaves."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.judges.servers import Endpoint, completion, cut_off, dripping, endless, slow
from trajectory.errors import ConfigurationError
from trajectory.judges import JudgeInForce, template
from trajectory.judges.http import HttpJudge
from trajectory.judges.reading import JudgeError
from trajectory.judges.settings import JudgeSettings, read_judge_settings

if TYPE_CHECKING:
    from pathlib import Path

GOOD = completion('{"score": 0.9, "reasoning": "fine"}')


def judge(endpoint: Endpoint, waits: list[float] | None = None, **settings: Any) -> HttpJudge:
    stated = {"base_url": endpoint.url, "model": "judge-1", "timeout": 5.0, **settings}
    return HttpJudge(JudgeSettings(**stated), sleep=(waits if waits is not None else []).append)


def test_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "hunter2")
    with Endpoint(GOOD) as endpoint:
        asked = judge(endpoint, api_key_env="MY_KEY", seed=7)
        assert asked.ask("Is it good?") == '{"score": 0.9, "reasoning": "fine"}'
        asked.close()
    (body,) = endpoint.asked
    assert body == {
        "path": "/v1/chat/completions",
        "model": "judge-1",
        "messages": [{"role": "user", "content": "Is it good?"}],
        "temperature": 0.0,
        "seed": 7,
    }
    assert endpoint.headers[0]["Authorization"] == "Bearer hunter2"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_what_may_pass_is_tried_again(status: int) -> None:
    waits: list[float] = []
    with Endpoint((status, {}, b"busy"), (status, {}, b"busy"), GOOD) as endpoint:
        asked = judge(endpoint, waits)
        assert "0.9" in asked.ask("?")
        asked.close()
    assert len(endpoint.asked) == 3
    assert 0.5 <= waits[0] <= 0.7
    assert 1.0 <= waits[1] <= 1.3


@pytest.mark.parametrize(
    ("stated", "low", "high"),
    [
        ("3", 3, 3),
        ("7000", 60, 60),
        ("in 20 seconds", 5, 20),
        ("soon", 0.5, 0.7),
    ],
    ids=["seconds", "too many", "a date", "nonsense"],
)
def test_the_endpoint_says_how_long_to_wait(stated: str, low: float, high: float) -> None:
    waits: list[float] = []
    if stated == "in 20 seconds":
        stated = format_datetime(datetime.now(UTC) + timedelta(seconds=20))
    with Endpoint((429, {"retry-after": stated}, b""), GOOD) as endpoint:
        asked = judge(endpoint, waits)
        asked.ask("?")
        asked.close()
    assert low <= waits[0] <= high


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((500, {}, b"down"), "the judge cannot be reached at http://127.0.0.1:*/v1: status 500, after 2 tries"),
        ((401, {}, b'{"error": "no such key"}'), 'refused the question with status 401: {"error": "no such key"}'),
        ((404, {}, b""), "refused the question with status 404: an empty body"),
        (slow(2), "no answer within 0.3 s, after 2 tries"),
        (dripping, "no answer within 0.3 s, after 2 tries"),
        (endless, "the judge's answer is longer than 10000000 bytes"),
        (cut_off, "after 2 tries"),
        ((301, {"location": "http://127.0.0.1:1/"}, b""), "refused the question with status 301"),
        ((200, {}, b"<html>"), "gave no chat completion: <html>"),
        ((200, {}, b"{}"), "gave no chat completion: {}"),
        ((200, {}, b'{"choices": []}'), "gave no chat completion"),
        ((200, {}, b'{"choices": [{"message": "text"}]}'), "gave no chat completion"),
        (completion(None), "gave no text"),
        (completion(None, refusal="I cannot judge this"), "the judge refused: I cannot judge this"),
        (completion('{"score": 0.', finish_reason="length"), "was cut off (length)"),
        (completion("", finish_reason="content_filter"), "was cut off (content_filter)"),
    ],
)
def test_what_is_no_answer(answer: Any, message: str) -> None:
    with Endpoint(answer) as endpoint:
        asked = judge(endpoint, retries=1, timeout=0.3)
        with pytest.raises(JudgeError) as caught:
            asked.ask("?")
        asked.close()
    first, _, last = message.partition("*")
    assert first in str(caught.value)
    assert last in str(caught.value)


def test_an_endpoint_that_is_not_there() -> None:
    with Endpoint(GOOD) as endpoint:
        pass
    asked = judge(endpoint, retries=0)
    with pytest.raises(JudgeError, match=r"the judge cannot be reached at .*ConnectError.*, after one try"):
        asked.ask("?")
    asked.close()


def test_an_answer_out_of_range_is_no_verdict() -> None:
    with Endpoint(completion('{"score": 9, "reasoning": "great"}')) as endpoint:
        asked = judge(endpoint)
        with pytest.raises(JudgeError, match="score 9 is out of range"):
            JudgeInForce(asked).decide(template("clarity"), {"x": "y"}, {}, threshold=0.8)
        asked.close()


def test_no_more_questions_are_open_than_allowed() -> None:
    lock, waiting, most = threading.Lock(), [0], list[int]()

    def give(handler: Any) -> None:
        with lock:
            waiting[0] += 1
            most.append(waiting[0])
        time.sleep(0.2)
        with lock:  # before it answers: who has the answer may ask again while this is still being cleared away
            waiting[0] -= 1
        status, _, content = GOOD
        handler.send_response(status)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    with Endpoint(give) as endpoint:
        asked = judge(endpoint, concurrency=2)
        threads = [threading.Thread(target=asked.ask, args=("?",)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        asked.close()
    assert (len(most), max(most)) == (6, 2)


# ------------------------------------------------------------------------------------------------------------ settings


def test_the_key_is_named_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="the environment variable NO_SUCH_KEY is not set"):
        HttpJudge(JudgeSettings(base_url="http://h/v1", model="m", api_key_env="NO_SUCH_KEY"))
    monkeypatch.setenv("MY_KEY", "hunter2")
    with Endpoint((401, {}, b"denied")) as endpoint:
        asked = judge(endpoint, api_key_env="MY_KEY")
        with pytest.raises(JudgeError) as caught:
            asked.ask("?")
        assert "hunter2" not in str(caught.value) + repr(asked.__dict__["_settings"])
        asked.close()


@pytest.mark.parametrize("name", ["sk-abc123", "0f1e2d3c4b5a", "abcdef0123456789", "two words", "MY_KEY=hunter2"])
def test_a_key_in_the_place_of_its_name_is_not_shown(name: str) -> None:
    def configure() -> HttpJudge | None:
        made = read_judge_settings(ini={"base_url": "http://h/v1", "model": "m", "api_key_env": name}, environment={})
        return None if made is None else HttpJudge(made)

    with pytest.raises(ConfigurationError, match="api_key_env") as caught:
        configure()
    assert name not in str(caught.value)


@pytest.mark.parametrize(
    "answer", [(401, {}, b"no such key: hunter2"), (200, {}, b"hunter2"), completion(None, refusal="hunter2")]
)
def test_an_endpoint_that_tells_the_key_is_not_quoted_with_it(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "hunter2")
    with Endpoint(answer) as endpoint:
        asked = judge(endpoint, api_key_env="MY_KEY")
        with pytest.raises(JudgeError, match=r"\[key\]") as caught:
            asked.ask("?")
        assert "hunter2" not in str(caught.value)
        asked.close()


def test_the_line_end_of_a_key_that_was_read_from_a_file_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "hunter2\n")
    with Endpoint(GOOD) as endpoint:
        asked = judge(endpoint, api_key_env="MY_KEY")
        asked.ask("?")
        asked.close()
    assert endpoint.headers[0]["Authorization"] == "Bearer hunter2"


@pytest.mark.parametrize("key", ["hunter\n2", "schl\xfcssel", "two words", "\x00"])
def test_a_key_that_no_header_can_hold_is_not_shown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {"MY_KEY": key})
    with pytest.raises(ConfigurationError, match="MY_KEY holds characters that no key has") as caught:
        HttpJudge(JudgeSettings(base_url="http://h/v1", model="m", api_key_env="MY_KEY"))
    assert key not in str(caught.value)


def test_a_temperature_may_be_left_to_the_endpoint() -> None:
    with Endpoint(GOOD) as endpoint:
        asked = judge(endpoint, temperature="default")
        asked.ask("?")
        asked.close()
    assert "temperature" not in endpoint.asked[0]
    assert JudgeSettings(base_url="http://h", model="m", temperature="default").identity["temperature"] == "default"


def test_sources_win_in_order(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[tool.trajectory.judge]\nbase_url = "https://a/v1/"\nmodel = "from-file"\ntimeout = 5\n', encoding="utf-8"
    )
    found = read_judge_settings(
        pyproject=file, ini={"model": "from-ini", "seed": "3"}, environment={"TRAJECTORY_JUDGE_SEED": "4"}
    )
    assert found == JudgeSettings(base_url="https://a/v1", model="from-ini", timeout=5, seed=4)
    assert read_judge_settings(pyproject=tmp_path / "none", ini={}, environment={}) is None


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('model = "m"', "the setting 'base_url'"),
        ('base_url = "ftp://h"\nmodel = "m"', "/base_url: expected an address such as https://host/v1"),
        ('base_url = "https://me:secret@h/v1"\nmodel = "m"', "without a user or a password"),
        ('base_url = "https://h/v1?key=secret"\nmodel = "m"', "/base_url: expected an address without a query"),
        ('base_url = "https://h/v1#secret"\nmodel = "m"', "/base_url: expected an address without a query"),
        ('base_url = "https://[secret/v1"\nmodel = "m"', "/base_url: expected an address such as https://host/v1"),
        ('base_url = "https://h:99999/v1"\nmodel = "m"', "/base_url: expected an address such as https://host/v1"),
        (
            'base_url = "https://h/v1"\nmodel = "m"\napi_key = "secret"',
            "the unknown key 'api_key' (did you mean 'api_key_env'?)",
        ),
        ('base_url = "https://h/v1"\nmodel = "m"\nseed = true', "/seed: expected a number, found true"),
        (
            'base_url = "https://h/v1"\nmodel = "m"\ntemperature = "cold"',
            "/temperature: expected a number of at least 0, or default",
        ),
        ('base_url = "https://h/v1"\nmodel = "m"\ntimeout = "soon"', "/timeout: expected a number, found the string"),
        ('base_url = "https://h/v1"\nmodel = "m"\ntimout = 3', "the unknown key 'timout' (did you mean 'timeout'?)"),
        (
            'base_url = "https://h/v1"\nmodel = "m"\nretries = -1',
            "/retries: expected a number greater than or equal to 0",
        ),
        ('base_url = "https://h/v1"\nmodel = ""', "/model: expected a text that is not empty"),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, table: str, message: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[tool.trajectory.judge]\n{table}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read_judge_settings(pyproject=file, environment={})
    assert message in str(caught.value)
    assert "secret" not in str(caught.value).replace("password", "")


def test_a_misspelt_table(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool.trajectory.jugde]\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"found 'jugde' \(did you mean 'judge'\?\)"):
        read_judge_settings(pyproject=file, environment={})
