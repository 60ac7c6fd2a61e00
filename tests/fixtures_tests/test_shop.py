"""The world of the sample agent and its tools."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from fixtures.shop import TOOLS, Shop


@pytest.fixture
def shop() -> Shop:
    return Shop()


def use(shop: Shop, name: str, **arguments: Any) -> Any:
    return json.loads(shop.use(name, arguments))


def place(shop: Shop, sku: str, quantity: int, *, speed: str = "standard", gift_wrap: bool = False) -> Any:
    items = [{"sku": sku, "quantity": quantity}]
    return use(shop, "place_order", items=items, delivery={"speed": speed, "gift_wrap": gift_wrap})


@pytest.mark.parametrize(
    ("arguments", "skus"),
    [
        ({"text": "lamp"}, ["LAMP-BLACK", "LAMP-BLUE"]),
        ({"text": "Desk Lamp", "color": "blue"}, ["LAMP-BLUE"]),
        ({"text": "lamp", "color": "green"}, []),
        ({"text": "mug"}, ["MUG-GREEN", "MUG-WHITE"]),
        ({"text": "teapot"}, []),
    ],
)
def test_search_products(shop: Shop, arguments: dict[str, str], skus: list[str]) -> None:
    assert [product["sku"] for product in use(shop, "search_products", **arguments)["products"]] == skus


def test_a_product_found_has_its_name_color_and_price(shop: Shop) -> None:
    found = use(shop, "search_products", text="lamp", color="blue")

    assert found == {"products": [{"sku": "LAMP-BLUE", "name": "desk lamp", "color": "blue", "price": 39.9}]}


def test_check_stock(shop: Shop) -> None:
    assert use(shop, "check_stock", sku="LAMP-BLUE") == {"sku": "LAMP-BLUE", "in_stock": 6}
    assert use(shop, "check_stock", sku="MUG-WHITE") == {"sku": "MUG-WHITE", "in_stock": 0}


def test_an_order_adds_up_and_takes_from_the_stock(shop: Shop) -> None:
    order = place(shop, "LAMP-BLUE", 2, speed="express")

    assert order == {
        "order_id": "A1042",
        "status": "placed",
        "items": [{"sku": "LAMP-BLUE", "quantity": 2}],
        "delivery": {"speed": "express", "gift_wrap": False},
        "total": 89.7,
    }
    assert use(shop, "check_stock", sku="LAMP-BLUE")["in_stock"] == 4
    assert use(shop, "order_status", order_id="A1042") == order


def test_gift_wrap_costs_by_the_order(shop: Shop) -> None:
    assert place(shop, "MUG-GREEN", 3, gift_wrap=True)["total"] == pytest.approx(3 * 8.5 + 2.5)


def test_orders_are_numbered_one_after_the_other(shop: Shop) -> None:
    assert [place(shop, "MUG-GREEN", 1)["order_id"] for _ in range(2)] == ["A1042", "A1043"]


def test_list_orders(shop: Shop) -> None:
    place(shop, "MUG-GREEN", 1)

    assert use(shop, "list_orders") == {
        "orders": [{"order_id": "A1041", "status": "shipped"}, {"order_id": "A1042", "status": "placed"}]
    }


def test_a_changed_order_takes_the_new_quantity(shop: Shop) -> None:
    place(shop, "LAMP-BLUE", 2)

    order = use(shop, "change_order", order_id="A1042", items=[{"sku": "LAMP-BLUE", "quantity": 5}])

    assert order["items"] == [{"sku": "LAMP-BLUE", "quantity": 5}]
    assert order["total"] == pytest.approx(5 * 39.9)
    assert use(shop, "check_stock", sku="LAMP-BLUE")["in_stock"] == 1


def test_a_change_that_fails_leaves_everything_as_it_was(shop: Shop) -> None:
    order = place(shop, "LAMP-BLUE", 2)

    result = use(shop, "change_order", order_id="A1042", items=[{"sku": "LAMP-BLUE", "quantity": 7}])

    assert result == {"error": "only 6 of LAMP-BLUE are left"}
    assert use(shop, "order_status", order_id="A1042") == order
    assert use(shop, "check_stock", sku="LAMP-BLUE")["in_stock"] == 4


def test_a_cancelled_order_goes_back_on_the_shelf(shop: Shop) -> None:
    place(shop, "LAMP-BLUE", 2)

    assert use(shop, "cancel_order", order_id="A1042")["status"] == "cancelled"
    assert use(shop, "check_stock", sku="LAMP-BLUE")["in_stock"] == 6


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("check_stock", {"sku": "LAMP-PINK"}, "there is no product LAMP-PINK"),
        ("order_status", {"order_id": "A1014"}, "there is no order A1014"),
        ("cancel_order", {"order_id": "A1014"}, "there is no order A1014"),
        ("cancel_order", {"order_id": "A1041"}, "order A1041 has already been shipped"),
        ("change_order", {"order_id": "A1041", "items": []}, "order A1041 has already been shipped"),
        ("sing", {}, "there is no tool sing"),
        ("__init__", {}, "there is no tool __init__"),
    ],
)
def test_what_a_tool_cannot_do_is_told_as_an_error(
    shop: Shop, name: str, arguments: dict[str, Any], error: str
) -> None:
    assert use(shop, name, **arguments) == {"error": error}


@pytest.mark.parametrize(
    ("items", "error"),
    [
        ([{"sku": "LAMP-BLACK", "quantity": 4}], "only 3 of LAMP-BLACK are left"),
        ([{"sku": "LAMP-BLUE", "quantity": 4}, {"sku": "LAMP-BLUE", "quantity": 4}], "only 6 of LAMP-BLUE are left"),
        ([{"sku": "LAMP-PINK", "quantity": 1}], "there is no product LAMP-PINK"),
        ([{"sku": "LAMP-BLUE", "quantity": 0}], "a quantity must be 1 or more"),
        ([], "an order needs an item"),
    ],
)
def test_an_order_that_cannot_be_filled_takes_nothing(shop: Shop, items: list[Any], error: str) -> None:
    result = use(shop, "place_order", items=items, delivery={"speed": "standard", "gift_wrap": False})

    assert result == {"error": error}
    assert use(shop, "check_stock", sku="LAMP-BLUE")["in_stock"] == 6
    assert len(use(shop, "list_orders")["orders"]) == 1


def test_two_shops_share_nothing(shop: Shop) -> None:
    place(shop, "LAMP-BLUE", 2)

    assert use(Shop(), "check_stock", sku="LAMP-BLUE")["in_stock"] == 6
    assert len(use(Shop(), "list_orders")["orders"]) == 1


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool["name"]))
def test_every_tool_is_documented(tool: dict[str, Any]) -> None:
    assert set(tool) == {"name", "description", "parametersSchema"}
    assert tool["description"].endswith(".")
    jsonschema.Draft202012Validator.check_schema(tool["parametersSchema"])
