"""What the sample agent does with what it is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fixtures.sample_agent import SampleAgent, SampleSession


@pytest.fixture
def session() -> SampleSession:
    return SampleAgent().start_session("s")


def calls(session: SampleSession, *queries: str) -> list[tuple[str, dict[str, Any]]]:
    """Say all the queries; give back the calls of the last one."""
    turn = [session.send(query) for query in queries][-1]
    return [(call["name"], call["arguments"]) for call in turn["tool_calls"]]


def names(session: SampleSession, *queries: str) -> list[str]:
    return [name for name, _ in calls(session, *queries)]


def answer(session: SampleSession, *queries: str) -> str:
    return [str(session.send(query)["output"]) for query in queries][-1]


def order(*items: tuple[str, int], speed: str = "standard", gift_wrap: bool = False) -> tuple[str, dict[str, Any]]:
    lines = [{"sku": sku, "quantity": quantity} for sku, quantity in items]
    return "place_order", {"items": lines, "delivery": {"speed": speed, "gift_wrap": gift_wrap}}


BLUE_LAMP = ("search_products", {"text": "lamp", "color": "blue"})
STOCK_OF_BLUE_LAMP = ("check_stock", {"sku": "LAMP-BLUE"})


def test_a_question_about_a_product_is_answered_from_search_and_stock(session: SampleSession) -> None:
    turn = session.send("Do you have a blue desk lamp?")

    assert turn == {
        "output": "The blue desk lamp costs 39.90 EUR, 6 in stock.",
        "tool_calls": [
            {"id": "call_1", "name": "search_products", "arguments": {"text": "lamp", "color": "blue"}},
            {"id": "call_2", "name": "check_stock", "arguments": {"sku": "LAMP-BLUE"}},
        ],
    }


def test_which_lists_every_variant(session: SampleSession) -> None:
    assert calls(session, "Which mugs do you have?") == [("search_products", {"text": "mug"})]
    assert (
        answer(session, "Which mugs do you have?") == "We have the green mug at 8.50 EUR and the white mug at 7.50 EUR."
    )


def test_what_was_found_is_not_searched_again(session: SampleSession) -> None:
    assert calls(session, "Which mugs do you have?", "Is the green one in stock?") == [
        ("check_stock", {"sku": "MUG-GREEN"})
    ]
    assert calls(session, "And the white one?") == [("check_stock", {"sku": "MUG-WHITE"})]


def test_two_products_are_looked_up_in_parallel(session: SampleSession) -> None:
    session.send("Are the blue lamp and the green mug in stock?")

    asked = [
        [call["name"] for call in message["toolCalls"]] for message in session.messages if message.get("toolCalls")
    ]
    assert asked == [["search_products"] * 2, ["check_stock"] * 2]


def test_a_choice_is_asked_back(session: SampleSession) -> None:
    assert answer(session, "Order two lamps.") == (
        "We have the black desk lamp at 34.90 EUR and the blue desk lamp at 39.90 EUR. Which one do you mean?"
    )
    assert calls(session, "I'll take two of the blue ones.") == [STOCK_OF_BLUE_LAMP, order(("LAMP-BLUE", 2))]


def test_what_the_shop_does_not_sell_is_not_looked_for_under_another_name(session: SampleSession) -> None:
    assert answer(session, "Do you have a green lamp?") == "We have no green lamp."
    session.send("Do you have a green mug?")
    assert calls(session, "I'll take two teapots.") == []
    assert "lamps, mugs and notebooks" in answer(session, "I'll take two teapots.")


def test_an_order_is_checked_then_placed(session: SampleSession) -> None:
    assert calls(session, "Order one blue lamp and three green mugs, gift-wrapped, please.") == [
        BLUE_LAMP,
        ("search_products", {"text": "mug", "color": "green"}),
        STOCK_OF_BLUE_LAMP,
        ("check_stock", {"sku": "MUG-GREEN"}),
        order(("LAMP-BLUE", 1), ("MUG-GREEN", 3), gift_wrap=True),
    ]


def test_the_answer_to_an_order_says_what_was_ordered(session: SampleSession) -> None:
    assert answer(session, "I'd like two blue lamps by express.") == (
        "Order A1042 is placed: 2 x LAMP-BLUE, express delivery, 89.70 EUR in all."
    )


def test_a_product_and_a_wish_are_remembered(session: SampleSession) -> None:
    queries = ("Do you have a blue desk lamp? I need it by express.", "When are you open?", "I'll take two.")

    assert calls(session, *queries) == [STOCK_OF_BLUE_LAMP, order(("LAMP-BLUE", 2), speed="express")]


def test_colors_are_remembered_for_each_product(session: SampleSession) -> None:
    queries = ("Are the blue lamp and the green mug in stock?", "Order one lamp and three mugs.")

    assert calls(session, *queries)[-1] == order(("LAMP-BLUE", 1), ("MUG-GREEN", 3))


def test_a_wish_can_be_taken_back(session: SampleSession) -> None:
    queries = ("Order a red notebook by express.", "Order another red notebook by standard delivery.")

    assert calls(session, *queries)[-1] == order(("NOTEBOOK-RED", 1))


def test_more_than_there_are_is_not_ordered(session: SampleSession) -> None:
    assert names(session, "Order five black lamps.") == ["search_products", "check_stock"]
    assert answer(session, "Order five black lamps.") == "There are only 3 of the black desk lamp left."
    assert calls(session, "I'll take three.")[-1] == order(("LAMP-BLACK", 3))


def test_an_order_that_the_shop_refuses_is_apologised_for(session: SampleSession) -> None:
    text = answer(session, "Order four blue lamps and four blue lamps.")

    assert text == "I am sorry, only 6 of LAMP-BLUE are left."
    assert session.send("Where is my order?")["tool_calls"][0]["name"] == "list_orders"


def test_make_it_two_changes_the_order(session: SampleSession) -> None:
    assert calls(session, "Order a red notebook.", "Make it two.") == [
        ("order_status", {"order_id": "A1042"}),
        ("change_order", {"order_id": "A1042", "items": [{"sku": "NOTEBOOK-RED", "quantity": 2}]}),
    ]
    assert answer(session, "Make it 12, please.").startswith("Order A1042 is placed: 12 x NOTEBOOK-RED")


@pytest.mark.parametrize(
    ("queries", "expected", "text"),
    [
        (
            ("Order a red notebook and a blue lamp.", "Make it two."),
            ["order_status"],
            "Order A1042 has several items; please order them anew.",
        ),
        (("Order a red notebook.", "Make it nice."), [], "How many shall it be?"),
        (
            ("Order a red notebook.", "Make it 500."),
            ["order_status", "change_order"],
            "I am sorry, only 120 of NOTEBOOK-RED are left.",
        ),
        (
            ("Make it two.",),
            ["list_orders", "order_status", "change_order"],
            "I am sorry, order A1041 has already been shipped.",
        ),
    ],
)
def test_changes_that_cannot_be_made(
    session: SampleSession, queries: tuple[str, ...], expected: list[str], text: str
) -> None:
    turn = [session.send(query) for query in queries][-1]

    assert [call["name"] for call in turn["tool_calls"]] == expected
    assert turn["output"] == text


def test_where_is_my_order_means_the_last_one(session: SampleSession) -> None:
    assert calls(session, "Order a red notebook.", "Where is my order?") == [("order_status", {"order_id": "A1042"})]


def test_an_order_of_earlier_days_is_looked_up_first(session: SampleSession) -> None:
    assert calls(session, "Where is my order?") == [("list_orders", {}), ("order_status", {"order_id": "A1041"})]


def test_cancel_it(session: SampleSession) -> None:
    assert calls(session, "Order a red notebook.", "Cancel it.") == [("cancel_order", {"order_id": "A1042"})]
    assert answer(session, "What about order A1042?").startswith("Order A1042 is cancelled")


def test_an_unknown_order_is_recovered_from(session: SampleSession) -> None:
    turn = session.send("Where is order A1014?")

    assert [call["name"] for call in turn["tool_calls"]] == ["order_status", "list_orders"]
    assert turn["output"] == "I am sorry, there is no order A1014. Your orders: A1041 (shipped)."
    assert calls(session, "I meant a1041.") == [("order_status", {"order_id": "A1041"})]


def test_an_unknown_order_is_not_remembered(session: SampleSession) -> None:
    assert names(session, "Cancel A1014.", "Where is my order?") == ["list_orders", "order_status"]


def test_a_shipped_order_is_not_cancelled(session: SampleSession) -> None:
    assert answer(session, "Cancel order A1041.") == (
        "I am sorry, order A1041 has already been shipped. Your orders: A1041 (shipped)."
    )


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Hello!", "Hello! What can I do for you?"),
        ("Hello, when are you open?", "We are open from Monday to Saturday, 9 to 18."),
        ("What does delivery cost?", "Standard delivery is free, express costs 9.90 EUR."),
        ("Thank you.", "You are welcome."),
        ("Tell me a joke.", "I can look up our lamps, mugs and notebooks, and take, change or cancel orders."),
        ("", "I can look up our lamps, mugs and notebooks, and take, change or cancel orders."),
    ],
)
def test_small_talk_needs_no_tool(session: SampleSession, query: str, text: str) -> None:
    assert session.send(query) == {"output": text, "tool_calls": []}


def test_sessions_of_one_agent_share_nothing() -> None:
    agent = SampleAgent()
    first, second = agent.start_session("same"), agent.start_session("same")
    first.send("Order six blue lamps by express.")

    assert calls(second, "Order six blue lamps.")[-1] == order(("LAMP-BLUE", 6))
    assert names(agent.start_session("same"), "Where is my order?") == ["list_orders", "order_status"]


def test_every_message_is_kept_in_order(session: SampleSession) -> None:
    session.send("Where is my order?")

    assert [message["role"] for message in session.messages] == [
        *("system", "user", "assistant", "function", "assistant", "function", "assistant")
    ]
    asked = [call for message in session.messages for call in message.get("toolCalls") or []]
    told = [message for message in session.messages if message["role"] == "function"]
    assert [(call["id"], call["name"]) for call in asked] == [(message["id"], message["name"]) for message in told]
    assert all(isinstance(json.loads(message["content"]), dict) for message in told)


def test_the_forgetful_agent_loses_wishes_and_orders_between_turns() -> None:
    session = SampleAgent(forgetful=True).start_session("s")

    session.send("Do you have a blue lamp? I need it by express.")
    assert calls(session, "I'll take two.")[-1] == order(("LAMP-BLUE", 2))
    assert names(session, "Where is my order?") == ["list_orders", "order_status"]


def test_the_forgetful_agent_heeds_a_wish_of_the_same_turn() -> None:
    session = SampleAgent(forgetful=True).start_session("s")

    assert calls(session, "Order a blue lamp by express.")[-1] == order(("LAMP-BLUE", 1), speed="express")
