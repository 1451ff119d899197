"""Changes to inputs: bytes anywhere, words the readers know, and parts of JSON exchanged for others."""

import json
import random
from collections.abc import Sequence
from typing import Any

from tests.chaos.corpus import TOKENS

__all__ = ["mutate", "mutate_json"]

LONGEST = 20_000
STRANGE: list[Any] = [None, True, -1, 0, 10**30, 1e308, float("nan"), "", "x", "\u200b", [], {}, [[]], {"": None}, "*"]


def mutate(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """Return an input with one to eight changes."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4, 8))):
        _change(made, others, rng)
    return bytes(made[:LONGEST])


def _change(made: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    at = rng.randint(0, len(made))
    end = min(len(made), at + rng.choice((1, 1, 2, 4, 16, 64, 256)))
    kind = rng.randrange(7)
    if kind == 0:
        made[at:end] = b""
    elif kind == 1:
        made[at:at] = rng.choice(TOKENS)
    elif kind == 2:
        made[at:end] = bytes(rng.randrange(256) for _ in range(end - at))
    elif kind == 3:
        made[at:at] = made[at:end] * rng.choice((1, 2, 30))
    elif kind == 4:
        other = rng.choice(others)
        start = rng.randint(0, len(other))
        made[at:end] = other[start : start + rng.choice((4, 32, 256))]
    elif kind == 5 and at < len(made):
        made[at] ^= 1 << rng.randrange(8)
    elif at < len(made):
        made[at] = rng.choice((0, 1, 127, 128, 255))


def mutate_json(data: bytes, rng: random.Random) -> bytes:
    """Return JSON with one to four of its parts exchanged, taken away or given twice; bytes where it is none."""
    try:
        return _exchanged(json.loads(data), rng)
    except (ValueError, RecursionError):
        return mutate(data, [data], rng)


def _exchanged(made: Any, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 4)):
        holder, key = _any_part(made, rng)
        if holder is None:
            continue
        action = rng.randrange(4)
        if action == 0:
            holder[key] = rng.choice(STRANGE)
        elif action == 1 and isinstance(holder, dict):
            del holder[key]
        elif action == 2:
            holder[key] = [holder[key]] * 2
        else:
            other, its = _any_part(made, rng)
            holder[key] = json.loads(json.dumps(other[its])) if other is not None else None
    return json.dumps(made).encode()


def _any_part(made: Any, rng: random.Random) -> tuple[Any, Any]:
    """Return a place in nested JSON by its holder and key, deeper ones as likely as others."""
    holder, key, now = None, None, made
    while isinstance(now, dict | list) and now and (holder is None or rng.random() < 0.7):
        holder = now
        key = rng.choice(list(now)) if isinstance(now, dict) else rng.randrange(len(now))
        now = holder[key]
    return holder, key
