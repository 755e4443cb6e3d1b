"""Three repositories of one shop, which hang together by all that joins repositories."""

from typing import Final

SHOP: Final = {
    "pyproject.toml": '[project]\nname = "shop-orders"\ndescription = "Orders of the shop"\n',
    "shop_orders/api.py": (
        '"""Serves orders."""\n\n'
        "from fastapi import APIRouter\n\n"
        "from shop_orders.records import load_order\n\n"
        "router = APIRouter()\n\n\n"
        '@router.get("/orders/{order_id}")\n'
        "def show_order(order_id):\n"
        '    """Return an order."""\n'
        "    return load_order(order_id)\n"
    ),
    "shop_orders/records.py": (
        '"""Keeps orders."""\n\n\n'
        "def load_order(order_id):\n"
        '    """Return the record of an order."""\n'
        "    return {}[order_id]\n"
    ),
    "proto/orders.proto": (
        'syntax = "proto3";\n\n'
        "service Orders {\n  rpc Show(OrderQuery) returns (OrderRecord);\n}\n\n"
        "message OrderQuery {\n  string order_id = 1;\n}\n\n"
        "message OrderRecord {\n  string order_id = 1;\n}\n"
    ),
    "README.md": "# Orders\n\nAn order is shown by [the api](shop_orders/api.py).\n",
    "tests/test_orders.py": (
        "from shop_orders.records import load_order\n\n\n"
        "def test_an_order_is_loaded():\n    assert load_order(1)\n"
    ),
}
WEB: Final = {
    "src/orders.ts": (
        "// Shows orders to customers.\n"
        "const base = process.env.SHOP_ORDERS_URL\n\n"
        "export async function fetchOrder(id: string) {\n"
        "  const order = await fetch(`${base}/orders/${id}`)\n"
        "  return order.json()\n"
        "}\n"
    ),
    "jobs/nightly_orders.py": (
        '"""Exports the orders of a day."""\n\n'
        "import orders_pb2\n"
        "import orders_pb2_grpc\n"
        "from shop_orders import records\n\n\n"
        "def export_orders(channel):\n"
        '    """Write each order of the day."""\n'
        "    stub = orders_pb2_grpc.OrdersStub(channel)\n"
        "    order = stub.Show(orders_pb2.OrderQuery(order_id='1'))\n"
        "    return records.load_order(order.order_id)\n"
    ),
}
DEPLOY: Final = {
    "compose.yaml": (
        "# Where orders are served.\n"
        "services:\n"
        "  web:\n"
        "    environment:\n"
        "      SHOP_ORDERS_URL: http://orders:8000\n"
        "  orders:\n"
        "    image: orders\n"
    ),
    "docs/orders.md": "# Orders in production\n\nThe web asks the order service.\n",
}
QUESTION: Final = "how is an order of the shop shown"
