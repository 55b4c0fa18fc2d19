"""One robot to learn with: Gymnasium's API, with the robot's real timing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, SupportsFloat

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.learning.actions import ActionInput
from ubersim.learning.agent import Agent, AgentOptions, Observation
from ubersim.learning.documents import Documents, Latency, latency_model
from ubersim.learning.render import outside_picture
from ubersim.learning.task import Task, task_from
from ubersim.simulation.inputs import MaterialsInput, RobotInput, WorldInput
from ubersim.timing.chunks import Handover
from ubersim.timing.think_time import Think

if TYPE_CHECKING:
    from ubersim.learning.live_page import LivePage


class UberSimEnv(gymnasium.Env[Any, Any]):
    """A robot in a world. Equal seeds give equal bits.

    An episode begins from a snapshot, and nothing is built anew, unless the documents want numbers drawn.
    """

    metadata = {"render_modes": ["rgb_array", "human"], "render_fps": 50}  # noqa: RUF012  # Gymnasium's own way

    def __init__(
        self,
        robot: RobotInput | None = None,
        world: WorldInput = None,
        *,
        task: Task | type[Task] | str | None = None,
        observation: Sequence[str] | None = None,
        action: ActionInput | None = None,
        reward: Callable[[Task], float] | None = None,
        control_hz: float | None = None,
        think: Think = 0.0,
        overlap: bool = False,
        latency: Latency = None,
        seconds: float | None = None,
        past: int | None = None,
        flat: bool | None = None,
        chunk: int = 1,
        replan: int = 1,
        handover: Handover = "replace",
        step: float | None = None,
        materials: MaterialsInput = None,
        render_mode: str | None = None,
        page_port: int = 8080,
    ) -> None:
        """What is None is as the task says. `reward` replaces the task's; it is given the task, which has the robot.

        `page_port` is where the live page is, if `render_mode` is `human`; 0: a free port, which the page tells.
        """
        self.render_mode = self._known_mode(render_mode)
        self.task = task_from(task)
        self._reward = reward
        self._seconds = self.task.seconds if seconds is None else seconds
        self._latency = latency
        self._options = AgentOptions.of(
            self.task,
            observation=observation,
            action=action,
            control_hz=control_hz,
            think=think,
            overlap=overlap,
            past=past,
            flat=flat,
            chunk=chunk,
            replan=replan,
            handover=handover,
        )
        self._documents = Documents(
            self.task.robot_file if robot is None else robot,
            self.task.world_file if world is None else world,
            materials,
            self._options.observation,
        )
        self._step, self._page_port = self.task.step if step is None else step, page_port
        self._page: LivePage | None = None
        self._build(0)
        self.observation_space = self._agent.observations.space
        self.action_space = self._agent.action_space
        self._end = 0
        self.metadata = self.metadata | {"render_fps": round(self._options.control_hz)}

    def _known_mode(self, mode: str | None) -> str | None:
        known = self.metadata["render_modes"]
        if mode not in (None, *known):
            raise UberSimError(f"there is no render mode {mode!r}; there are {', '.join(known)}")
        return mode

    def _build(self, seed: int) -> None:
        """Makes the world and the robot of this seed."""
        self.simulation, robot = self._documents.build(seed, self._step)
        self._agent = Agent(self.simulation, robot, self.task, self._options)
        self.task.populate()
        self._start = self.simulation.snapshot()
        if self.render_mode == "human":
            from ubersim.learning.live_page import LivePage  # the live page is another extra

            self._page = LivePage(self.simulation, self._page_port)
        self._periods_per_frame = self.simulation.step_size * self._options.control_hz

    @property
    def robot(self) -> Any:
        """The robot in the world."""
        return self._agent.robot

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode. All that is drawn in it comes from the seed; without one, the draws go on."""
        super().reset(seed=seed)
        chance = int(self.np_random.integers(2**32))
        latency = latency_model(self._latency, self.np_random)
        if self._documents.vary:
            self.close()
            self._build(chance)
        self.simulation.start_over(self._start, chance, {self.robot.name: latency})
        self.task.begin(self.np_random)
        self.simulation.begin_frame()
        self._agent.begin(chance)
        self._end = self.simulation.frame + round(self._seconds / self.simulation.step_size)
        return self._agent.look(), self._info()

    def step(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """The policy has thought, and the world goes on until it is asked again."""
        if self._end == 0:
            raise UberSimError("an episode begins with reset()")
        agent, simulation = self._agent, self.simulation
        numbers = agent.act(action)
        frames = agent.thinking.next_look - simulation.frame
        if self._page is None:
            simulation.step(frames)
        else:
            self._page.step(frames)
        self.task.periods = frames * self._periods_per_frame
        reward = self.task.reward(numbers) if self._reward is None else self._reward(self.task)
        terminated = self.task.failed()
        truncated = simulation.frame >= self._end
        info = self._info()
        if terminated or truncated:
            info["success"] = self.task.succeeded()
        return agent.look(), float(reward), terminated, truncated, info

    def render(self) -> NDArray[np.uint8] | None:
        """The picture from outside, if the mode is `rgb_array`; the live page shows it by itself."""
        return outside_picture(self.simulation, self.robot.name) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Ends it."""
        if self._page is not None:
            self._page.close()
            self._page = None
        self.simulation.close()

    def _info(self) -> dict[str, Any]:
        simulation, robot = self.simulation, self._agent.robot
        return {"time": simulation.time, "latency": robot.commands.latency.minimum}
