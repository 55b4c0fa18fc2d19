"""A goalkeeper with a camera: to be where the ball comes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ubersim.description import read_world
from ubersim.learning.actions import ActionInput
from ubersim.learning.task import Task

KEEPER = """<Client>
  <CSettings> <Name>Keeper</Name> <Latency>20</Latency>
    <Spawn> <Position><x>0</x><y>0</y><z>0</z></Position> </Spawn> </CSettings>
  <Entity>
    <RigidBodies>
      <Body name="Base">
        <Box name="Hull"> <Mass>8</Mass> <XSize>0.5</XSize> <YSize>0.2</YSize> <ZSize>0.3</ZSize>
          <Position><x>0</x><y>0</y><z>0.16</z></Position> <Material>Plastic</Material>
          <Color><r>0.15</r><g>0.16</g><b>0.2</b></Color> </Box>
        <CameraSensor name="Eye"> <Position><x>0</x><y>0.11</y><z>0.3</z></Position>
          <Rotation><x>-8</x><y>0</y><z>0</z></Rotation> <Fov>75</Fov> <Width>80</Width> <Height>60</Height>
          <Frequency>25</Frequency> <Latency>40</Latency> </CameraSensor>
      </Body>
    </RigidBodies>
    <Motion>
      <HolonomicDrive name="Drive"> <Acceleration>4</Acceleration> </HolonomicDrive>
    </Motion>
  </Entity>
</Client>
"""
"""A robot that moves as it is told, with a small picture at 25 Hz that comes 40 ms late."""
FIELD = """<World>
  <Ground> <Material>Carpet</Material> <Color><r>0.16</r><g>0.42</g><b>0.2</b></Color> <Tile>0</Tile> </Ground>
  <Objects>
    <Body name="Ball">
      <Sphere name="BallSphere"> <Mass>0.43</Mass> <Radius>0.11</Radius>
        <Position><x>0</x><y>3</y><z>0.11</z></Position> <Material>Ball</Material>
        <Color><r>0.98</r><g>0.45</g><b>0.05</b></Color> </Sphere>
    </Body>
  </Objects>
</World>
"""
_LINE = 0.1
"""The ball is stopped, or through, when it is nearer than that to the keeper's line [m]."""


class BallIntercept(Task):
    """Moves sideways on its line so that the ball, which comes from 3 m ahead, hits it. It has a picture alone."""

    robot_file = KEEPER
    world_file = None
    observation = ("Eye",)
    action: ClassVar[ActionInput] = {"Drive.SpeedX": (-2.0, 2.0)}
    control_hz = 25.0
    seconds = 3.0
    flat = False

    def __init__(self) -> None:
        self.world_file = read_world(FIELD)

    def begin(self, rng: np.random.Generator) -> None:
        ball, speed = self.simulation.objects["Ball"], float(rng.uniform(1.5, 2.5))
        aim = float(rng.uniform(-0.8, 0.8))
        start = float(rng.uniform(-1.0, 1.0))
        way = np.array([aim - start, -3.0, 0.0])
        velocity = speed * way / np.linalg.norm(way)
        spin = np.array([-velocity[1], velocity[0], 0.0]) / 0.11
        ball.set_state((start, 3.0, 0.11), (1.0, 0.0, 0.0, 0.0), velocity, spin)
        self._stopped = False

    def reward(self, action: Sequence[float]) -> float:
        ball, keeper = self.simulation.objects["Ball"], self.robot.bodies["Base"]
        beside = abs(float(ball.position[0] - keeper.position[0]))
        if not self._stopped and math.hypot(beside, float(ball.position[1])) < 0.45 and ball.linear_velocity[1] > -0.3:
            self._stopped = True
            return 5.0
        return -0.1 * self.periods * beside

    def failed(self) -> bool:
        """The ball is through."""
        return bool(self.simulation.objects["Ball"].position[1] < -0.3)

    def succeeded(self) -> bool:
        return self._stopped
