"""The gate before the workbench: who may come in, from where, and what a page may load."""

import hmac
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

__all__ = ["Gate"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

DROPPED = (b"x-forwarded-prefix", b"x-forwarded-host", b"x-forwarded-proto", b"x-forwarded-for", b"forwarded")
"""Headers that no proxy of ours sets, so that whoever sends them has another aim."""
SAFE = ("GET", "HEAD")
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"x-dns-prefetch-control", b"off"),
]
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>withhold workbench</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color:#1d2433}}</style>
<h1>This door is closed</h1><p>{why}</p></html>"""
NO_TOKEN = "Open the address that the terminal shows: it carries the key."
TAKEN = "The workbench is open in another browser. It serves one person at a time: close it there, then come again."


class Gate:
    """An ASGI application before another one; it lets one browser in that has shown the token.

    Everything is refused that does not name this server as its host (so a name that was made to point here gets
    nowhere) or that comes from another origin's page. The token is compared in constant time and exchanged for a
    cookie that scripts cannot read. While that browser is connected, the token opens nothing for another one.

    Parameters
    ----------
    app
        The application behind it.
    token
        The token in the address.
    hosts
        The hosts, with their ports, under which this server may be called.
    """

    def __init__(self, app: App, *, token: str, hosts: Iterable[str]) -> None:
        self.app = app
        self._token = token
        self._hosts = frozenset(hosts)
        self._secret: str | None = None
        self._cookie = f"withhold_{next(iter(sorted(self._hosts)), '').rpartition(':')[2]}"
        self._n_sockets = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        why = self._foreign(scope)
        if why:
            await _refuse(scope, receive, send, 403, why)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._http(scope, receive, send)

    def _foreign(self, scope: Scope) -> str:
        """Return why a request comes from elsewhere, or nothing."""
        host, origin = _header(scope, b"host"), _header(scope, b"origin")
        if host not in self._hosts:
            return "This server answers under its own address only."
        is_writing = scope["type"] == "websocket" or scope["method"] not in SAFE
        if (origin or is_writing) and origin not in {f"http://{each}" for each in self._hosts}:
            return "Requests from other pages are refused."
        if _header(scope, b"sec-fetch-site") in ("cross-site", "same-site") and (
            is_writing or _header(scope, b"sec-fetch-mode") != "navigate"
        ):
            return "Requests from other pages are refused."
        return ""

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and given and scope["method"] in SAFE:
            await self._exchange(scope, receive, send, given)
        elif not self._is_let_in(scope):
            await _refuse(scope, receive, send, 403, NO_TOKEN)
        else:
            await self._pass(scope, receive, send)

    async def _exchange(self, scope: Scope, receive: Receive, send: Send, given: str) -> None:
        """Take the token and give a cookie for it, so that the address bar and the history lose it."""
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            await _refuse(scope, receive, send, 403, NO_TOKEN)
            return
        headers = [(b"location", b"/"), (b"cache-control", b"no-store"), *HEADERS]
        if not self._is_let_in(scope):
            if self._n_sockets:
                await _refuse(scope, receive, send, 403, TAKEN)
                return
            self._secret = secrets.token_urlsafe(32)
            cookie = f"{self._cookie}={self._secret}; HttpOnly; SameSite=Strict; Path=/"
            headers.append((b"set-cookie", cookie.encode()))
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _is_let_in(self, scope: Scope) -> bool:
        try:
            cookies = SimpleCookie(_header(scope, b"cookie"))
        except CookieError:
            return False
        given = cookies[self._cookie].value if self._cookie in cookies else ""
        return self._secret is not None and hmac.compare_digest(given.encode(), self._secret.encode())

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_let_in(scope):
            await _refuse(scope, receive, send, 403, NO_TOKEN)
            return
        self._n_sockets += 1
        try:
            await self.app(_clean(scope), receive, send)
        finally:
            self._n_sockets -= 1

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass; its page may run only scripts that this server wrote into it or serves."""
        nonce = secrets.token_urlsafe(16)
        held: list[Message] = []
        body = bytearray()

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_page = any(k.lower() == b"content-type" and b"text/html" in v for k, v in message["headers"])
                named = {name for name, _ in HEADERS} | {b"content-security-policy"}
                kept = [(k, v) for k, v in message["headers"] if k.lower() not in named]
                message["headers"] = [*kept, *HEADERS, (b"content-security-policy", self._rules(nonce).encode())]
                if is_page:
                    held.append(message)
                    return
            elif held:
                body.extend(message.get("body", b""))
                if message.get("more_body"):
                    return
                start = held.pop()
                page = bytes(body).replace(b"<script", f'<script nonce="{nonce}"'.encode())
                start["headers"] = [(k, v) for k, v in start["headers"] if k.lower() != b"content-length"]
                start["headers"] += [(b"content-length", str(len(page)).encode()), (b"cache-control", b"no-store")]
                await send(start)
                message = {"type": "http.response.body", "body": page}
            await send(message)

        await self.app(_clean(scope), receive, guarded)

    def _rules(self, nonce: str) -> str:
        """Return what a page may load: from here alone.

        The toolkit compiles its templates and handlers in the browser, hence `unsafe-eval`; widths of bars are style
        attributes, hence `unsafe-inline` for styles.
        """
        sockets = " ".join(f"ws://{host}" for host in sorted(self._hosts))
        return (
            f"default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
            f"img-src 'self' data:; font-src 'self'; connect-src 'self' {sockets}; worker-src 'none'; "
            "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
        )


def _header(scope: Scope, name: bytes) -> str:
    found = [value for key, value in scope["headers"] if key.lower() == name]
    return found[0].decode("latin-1") if len(found) == 1 else ""


def _clean(scope: Scope) -> Scope:
    return {**scope, "headers": [(k, v) for k, v in scope["headers"] if k.lower() not in DROPPED]}


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    rules = b"default-src 'none'; style-src 'unsafe-inline'"
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-security-policy", rules), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": PAGE.format(why=why).encode()})
