"""One motor on the native lane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from ubersim.components.motors.motor import Motor
from ubersim.components.native_forms import NativelyDriven, NativeMotor
from ubersim.physics import lane_memory as memory
from ubersim.physics.frame_lane import native_constant

Entry = tuple[int, int, tuple[int, float | bytes], int]


class LaneMotor:
    """A motor whose law the lane knows."""

    def __init__(self, motor: Motor, form: NativeMotor) -> None:
        self.motor = motor
        self._form = form
        places = {attribute: place for place, attribute in enumerate(form.attributes)}
        entries = motor.description.entries()
        known = ((number, entry.attribute) for entry in entries for number in entry.numbers.values())
        self._numbers = {number: places[attribute] for number, attribute in known if attribute in places}
        self._native: Any = None
        self._lent: list[Entry] = []
        self._kept: list[Any] = []  # memory that the kernel looks at

    @classmethod
    def of(cls, motor: Motor) -> LaneMotor | None:
        """None if the lane does not know its law."""
        form = motor.controller.native() if isinstance(motor.controller, NativelyDriven) else None
        return None if form is None else cls(motor, form)

    def parameter(self, number: int) -> int | None:
        """The place of a property among the law's values; None if it has none."""
        return self._numbers.get(number)

    def set_up(self, native: Any, told: Mapping[str, int]) -> None:
        """What does not change; `told` has the places of motors that are told instead of the joints that they drive."""
        form = self._form
        native.kind, native.wraps = native_constant(form.kind), form.wraps
        if form.axis is not None:
            memory.set_axis(native, form.axis)
        for place, constant in enumerate(form.constants, len(form.attributes)):
            native.values[place] = constant
        wheels = [(wheel.numbers, wheel.roll, wheel.swing, told.get(wheel.hinge, -1)) for wheel in form.wheels]
        self._kept = [memory.set_rolling_wheels(native, wheels)]
        if form.chassis is not None:
            self._kept.append(memory.set_chassis(native, form.chassis.bodies, form.chassis.center))

    def lend(self, native: Any, *, busy: bool) -> int | None:
        """Hands its state over; the first frame that needs Python, or None if this one does: then nothing is lent."""
        controller = self.motor.controller
        if not isinstance(controller, NativelyDriven) or controller.native() is None:
            return None
        lent = self.motor.delay.lend(lambda item: item[0] in self._numbers)
        if lent is None:
            return None
        self._native, self._lent = native, lent
        for place, attribute in enumerate(self._form.attributes):
            native.values[place] = getattr(controller, attribute)
        for place, number in enumerate(self._remembered()):
            native.memory[place] = number
        native.changed, native.busy, native.was_set = controller.changed, busy, controller.changed
        native.minimum, native.keeps_order, native.latest = self.motor.delay.plain
        native.pushed = 0
        memory.fill(native.delay, [(at, sent, float(item[1]), self._numbers[item[0]]) for at, _, item, sent in lent])
        return self.motor.delay.next_frame

    def _remembered(self) -> Iterator[float]:
        """What the controller carries from frame to frame, number by number."""
        for attribute in self._form.memory:
            value = getattr(self.motor.controller, attribute)
            yield from value if isinstance(value, tuple) else (value,)

    def _remember(self, numbers: Iterator[float]) -> None:
        """Goes on from there: each attribute stays of its type."""
        controller = self.motor.controller
        for attribute in self._form.memory:
            value = getattr(controller, attribute)
            new = tuple(islice(numbers, len(value))) if isinstance(value, tuple) else type(value)(next(numbers))
            setattr(controller, attribute, new)

    def give_back_unchanged(self) -> None:
        """The lane does not run after all."""
        self.motor.delay.take_back(len(self._lent), 0, [], self.motor.delay.plain[2])

    def take_back(self) -> bool:
        """Goes on from what has become of it; whether it has something to do."""
        native, controller = self._native, self.motor.controller
        numbers = {place: number for number, place in self._numbers.items()}
        new = min(native.delay.count, native.pushed)
        items = [(at, (numbers[target], value), sent) for at, sent, value, target in memory.last_of(native.delay, new)]
        self.motor.delay.take_back(native.delay.count - new, native.pushed, items, native.latest)
        self._remember(iter(native.memory))
        if native.was_set:
            for place, attribute in enumerate(self._form.attributes):
                setattr(controller, attribute, native.values[place])
            controller.changed = native.changed
            controller.prepare()
        return bool(native.busy)
