"""Who may come in: the gate alone, and the server behind it, asked by those who may not."""

import asyncio
import http.client
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from withhold.cli._main import cli
from withhold.errors import InputError
from withhold.workbench import Gate

HOST = "127.0.0.1:8000"
TOKEN = "t" * 43
PAGE = b"<html><script>1</script><p>inside</p></html>"


async def inside(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        return
    headers = [(b"content-type", b"text/html"), (b"content-length", b"1")]
    names = b",".join(name for name, _ in scope["headers"])
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": PAGE, "more_body": True})
    await send({"type": "http.response.body", "body": names})


class Asked:
    def __init__(self, sent: list[Any]) -> None:
        self.kind = sent[0]["type"]
        self.status = sent[0].get("status")
        self.headers = {k.decode(): v.decode() for k, v in sent[0].get("headers", [])}
        self.body = b"".join(each.get("body", b"") for each in sent)


def ask(gate: Gate, path: str = "/", kind: str = "http", method: str = "GET", **headers: str) -> Asked:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": f"{kind}.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    given = {"host": HOST, **{k.replace("_", "-"): v for k, v in headers.items()}}
    path, _, query = path.partition("?")
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(k.encode(), v.encode()) for k, v in given.items() if v],
    }
    asyncio.run(gate(scope, receive, send))
    return Asked(sent)


@pytest.fixture
def gate() -> Gate:
    return Gate(inside, token=TOKEN, hosts=[HOST, "localhost:8000"])


@pytest.fixture
def cookie(gate: Gate) -> str:
    return ask(gate, f"/?token={TOKEN}").headers["set-cookie"].partition(";")[0]


def test_the_token_is_exchanged_for_a_cookie_that_scripts_cannot_read(gate: Gate) -> None:
    found = ask(gate, f"/?token={TOKEN}")
    assert (found.status, found.headers["location"]) == (303, "/")
    assert "HttpOnly" in found.headers["set-cookie"]
    assert "SameSite=Strict" in found.headers["set-cookie"]
    assert TOKEN not in found.headers["set-cookie"]


@pytest.mark.parametrize(
    "path", ["/", "/?token=", "/?token=wrong", f"/?token={TOKEN[:-1]}", f"/other?token={TOKEN}", "/_nicegui/x"]
)
def test_nobody_comes_in_without_the_token(gate: Gate, path: str) -> None:
    found = ask(gate, path)
    assert found.status == 403
    assert b"inside" not in found.body
    assert "set-cookie" not in found.headers


def test_the_cookie_opens_every_path_and_a_wrong_one_none(gate: Gate, cookie: str) -> None:
    assert b"inside" in ask(gate, "/_nicegui/x", cookie=cookie).body
    assert ask(gate, "/", cookie=cookie[:-1] + "!").status == 403
    assert ask(gate, "/", cookie=cookie.replace("withhold_8000", "other")).status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1:8000.evil.example", ""]
)
def test_a_name_that_was_made_to_point_here_gets_nowhere(gate: Gate, cookie: str, host: str) -> None:
    assert ask(gate, "/", cookie=cookie, host=host).status == 403
    assert ask(gate, f"/?token={TOKEN}", host=host).status == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:9000"])
def test_pages_of_other_origins_are_refused(gate: Gate, cookie: str, origin: str) -> None:
    assert ask(gate, "/", cookie=cookie, origin=origin).status == 403
    assert ask(gate, "/", kind="websocket", cookie=cookie, origin=origin).kind == "websocket.close"


def test_a_form_of_another_page_is_refused_though_it_sends_no_origin(gate: Gate, cookie: str) -> None:
    assert ask(gate, "/", method="POST", cookie=cookie).status == 403
    assert ask(gate, "/", cookie=cookie, sec_fetch_site="cross-site", sec_fetch_mode="no-cors").status == 403
    assert ask(gate, "/", method="POST", cookie=cookie, origin=f"http://{HOST}").status == 200


def test_a_websocket_needs_the_cookie_and_its_own_origin(gate: Gate, cookie: str) -> None:
    own = f"http://{HOST}"
    assert ask(gate, "/ws", kind="websocket", origin=own).kind == "websocket.close"
    assert ask(gate, "/ws", kind="websocket", cookie=cookie).kind == "websocket.close"
    assert ask(gate, "/ws", kind="websocket", cookie=cookie, origin=own).kind == "websocket.accept"


def test_a_page_may_load_from_here_alone(gate: Gate, cookie: str) -> None:
    found = ask(gate, "/", cookie=cookie)
    rules = found.headers["content-security-policy"]
    assert "default-src 'none'" in rules
    assert "'unsafe-inline'" not in rules.partition("style-src")[0]
    assert "*" not in rules
    assert "https:" not in rules
    nonce = rules.partition("'nonce-")[2].partition("'")[0]
    assert f'<script nonce="{nonce}">'.encode() in found.body
    assert int(found.headers["content-length"]) == len(found.body)
    assert nonce not in ask(gate, "/", cookie=cookie).headers["content-security-policy"]


def test_headers_of_a_proxy_do_not_pass(gate: Gate, cookie: str) -> None:
    assert b"prefix" not in ask(gate, "/", cookie=cookie, x_forwarded_prefix="/evil").body


def test_a_second_user_is_refused_while_the_first_is_connected(gate: Gate, cookie: str) -> None:
    gate._n_sockets = 1
    second = ask(gate, f"/?token={TOKEN}")
    assert second.status == 403
    assert "set-cookie" not in second.headers
    assert ask(gate, f"/?token={TOKEN}", cookie=cookie).status == 303
    gate._n_sockets = 0
    assert ask(gate, f"/?token={TOKEN}").status == 303
    assert ask(gate, "/", cookie=cookie).status == 403  # the first has left, its cookie opens nothing any more


def test_an_address_that_others_reach_needs_consent() -> None:
    done = CliRunner().invoke(cli, ["workbench", "--host", "0.0.0.0"])
    assert isinstance(done.exception, InputError)
    assert "--i-understand" in str(done.exception)


def test_the_running_server_refuses_what_the_gate_refuses(serve: Callable[..., Any], tmp_path: Path) -> None:
    server = serve(folder=tmp_path)
    name, _, port = server.host.partition(":")
    assert name == "127.0.0.1"

    def status(path: str, **headers: str) -> int:
        with closing(http.client.HTTPConnection(name, int(port), timeout=20)) as connection:
            connection.request("GET", path, headers=headers)
            with connection.getresponse() as response:
                return response.status

    assert status("/") == 403
    assert status("/?token=wrong") == 403
    assert status(f"/?token={server.token}", Host="evil.example") == 403
    assert status("/_nicegui/../../../etc/passwd") == 403
    assert status("/openapi.json") == 403
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    upgrade |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": "http://evil.example"}
    assert status("/_nicegui_ws/socket.io/?EIO=4&transport=websocket", **upgrade) == 403
    assert status(f"/?token={server.token}") == 303
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", int(port)), 1)
    server.end()
    assert list((tmp_path / "tmp").iterdir()) == []
