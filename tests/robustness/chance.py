"""Where the fuzzers' choices come from: a seed, hypothesis, or the bytes of a fuzzer that watches what they reach.

All three are a `random.Random` to those who choose, so that one description of a robot, a message or a damaged log
serves a hundred thousand runs that a number names, a search that shrinks what it finds, and one led by coverage.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")

ODD_NUMBERS = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1e-9, -1e-9, 1e-4, 1e-300, 5e-324, 360.0, 1e3, 1e5, 1e6, -1e6, 1e9, 2.0**31, -(2.0**31),
    2.0**32, 2.0**53, 1e18, 2.0**63, 1e30, 3.5e38, 1e300, math.inf, -math.inf, math.nan,
)  # fmt: skip
"""What programs trip over."""
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    "",
    "\x1b[2J\x07",
    "\ud800",
    "../../x",
    "x" * 1000,
    [],
    {},
    10**40,
    10**400,
    -1,
    0,
    1,
    2**63,
)
"""The same, for those that read JSON."""


class Bytes(Random):
    """Random numbers that are the bytes of something; when they are used up, zeros."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._data, self._place = data, 0

    def getrandbits(self, k: int, /) -> int:
        count = (k + 7) // 8
        taken = self._data[self._place : self._place + count]
        self._place += count
        return int.from_bytes(taken, "little") & ((1 << k) - 1)

    def random(self) -> float:
        return self.getrandbits(53) / (1 << 53)


def numbered(seed: int, number: int) -> Random:
    """The choices of one run of many: the same in every process and in every year."""
    return Random(f"{seed}/{number}")


def chance(random: Random, probability: float) -> bool:
    """Whether something happens."""
    return random.random() < probability


def weighted(random: Random, choices: dict[T, float]) -> T:
    """One of them, by weight."""
    return random.choices(list(choices), list(choices.values()))[0]


def spread(random: Random, low: float, high: float) -> float:
    """Any order of magnitude is as likely as the next; both limits are positive."""
    return math.exp(random.uniform(math.log(low), math.log(high)))


def odd(random: Random, usual: Callable[[], float], share: float = 0.02) -> float:
    """The usual thing, or now and then a number that nobody reckons with."""
    return random.choice(ODD_NUMBERS) if chance(random, share) else usual()


def damaged_json(random: Random, value: Any) -> Any:
    """A JSON value with something wrong in one place of it."""
    if isinstance(value, dict) and value and chance(random, 0.85):
        key = random.choice(list(value))
        match random.randrange(8):
            case 0:
                return {other: item for other, item in value.items() if other != key}
            case 1:
                return {**value, random.choice(["", "frame", "x" * 70, key + "2"]): strange(random)}
        return {**value, key: damaged_json(random, value[key])}
    if isinstance(value, list) and value and chance(random, 0.85):
        place = random.randrange(len(value))
        match random.randrange(8):
            case 0:
                return value[:place] + value[place + 1 :]
            case 1:
                return [*value[:place], strange(random), *value[place:]]
        return [*value[:place], damaged_json(random, value[place]), *value[place + 1 :]]
    if isinstance(value, int | float) and not isinstance(value, bool) and chance(random, 0.5):
        return random.choice([value + 1, value - 1, -value, value * 1000, random.choice(ODD_NUMBERS)])
    return strange(random)


def strange(random: Random) -> Any:
    """A JSON value of any kind."""
    deep: Any = 0
    for _ in range(random.choice([1, 3, 100])):
        deep = [deep]
    return random.choice([*ODD_VALUES, *ODD_NUMBERS, deep, {"a": deep}])


def damaged_bytes(random: Random, data: bytes) -> bytes:
    """Bytes that were flipped, lost, repeated, or never written."""
    for _ in range(random.choice([1, 1, 1, 2, 5, 20])):
        size = len(data)
        start = random.randrange(size + 1)
        end = min(size, start + random.choice([1, 1, 2, 4, 8, 30, 1000]))
        match random.randrange(6):
            case 0:
                data = data[:start]
            case 1:
                data = data[:start] + data[end:]
            case 2:
                data = data[:start] + data[start:end] + data[start:]
            case 3:
                data = data[:start] + random.randbytes(end - start) + data[end:]
            case 4:
                number = random.choice([0, 1, 0x7F, 0xFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1])
                data = data[:start] + number.to_bytes(8, "little")[: end - start] + data[end:]
            case 5 if size:
                place = random.randrange(size)
                data = data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]
    return data


def pick(random: Random, choices: Sequence[T]) -> T:
    """One of them."""
    return choices[random.randrange(len(choices))]
