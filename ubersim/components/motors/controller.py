"""What all controllers share: the properties that commands set, and the memory that a snapshot keeps."""

from __future__ import annotations

from typing import Any, ClassVar

from ubersim.description.motors import ActuatorDescription


class Controller:
    """Turns commands into what joints' own motors do. Properties of its description are its attributes, same name."""

    memory: ClassVar[tuple[str, ...]] = ()
    """Further attributes that decide about the future."""

    idle: tuple[str, ...] = ()
    """Properties that it takes and that move nothing: so that every drive takes the same twist."""

    def __init__(self, description: ActuatorDescription) -> None:
        self._attributes = {
            number: entry.attribute for entry in description.entries() for number in entry.numbers.values()
        }
        for attribute in self._attributes.values():
            setattr(self, attribute, getattr(description, attribute))
        self.changed = True
        """Whether a property is new, so that `prepare` and `engage` are due."""

    def set(self, number: int, value: float, frame: int) -> None:
        """Executes a command; `drive` follows in the same frame."""
        setattr(self, self._attributes[number], value)
        self.changed = True

    def execute(self, decoded: Any, frame: int) -> None:
        """Executes a command that was a payload of its own, as the description has decoded it."""
        raise NotImplementedError

    def value(self, number: int) -> float:
        """What a property is now; 0 for one that was never set, if it has no value then."""
        return float(getattr(self, self._attributes[number]) or 0.0)

    def drive(self, frame: int) -> bool:
        """Does what is to be done before the step of this frame; False: nothing more until the next command."""
        if self.changed:
            self.prepare()
            self.engage()
            self.changed = False
        return self.step(frame)

    def prepare(self) -> None:
        """Computes what depends on properties alone; touches no joint."""

    def engage(self) -> None:
        """Sets up the joints' own motors accordingly."""

    def step(self, frame: int) -> bool:
        """The work of one frame; False if there is nothing more to do until a property changes."""
        return False

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps besides the joints' properties, as plain data."""
        return {name: getattr(self, name) for name in ("changed", *self._attributes.values(), *self.memory)}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        for name, value in state.items():
            setattr(self, name, value)
        self.prepare()
