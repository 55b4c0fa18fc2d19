"""A small field and a robot that is to find out where it is there, for tests of localization."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests.helpers.documents import vector
from tests.helpers.sensor_stage import box, sensor, sphere
from ubersim.description import RobotDescription, WorldDescription, read_robot, read_world
from ubersim.league.localization import PoseGrid, SensorMap, learn_map
from ubersim.simulation import Simulation

LANDMARKS = {2: "East", 3: "North"}
OBJECTS = (
    "<Fov>60</Fov><Projection>mirror</Projection><Level>objects</Level><Objects><Range>20</Range>"
    "<DistanceError>0.03</DistanceError><AngleError>1</AngleError></Objects>"
)


def world() -> WorldDescription:
    """Four by six metres of lines, and two posts that tell its ends apart."""
    posts = box("East", (0.2, 0.2, 1), (2.5, 0, 0.5), mass=None) + box("North", (0.2, 0.2, 1), (0, 3.5, 0.5), mass=None)
    lines = (
        f"<Rectangle>{vector('Position', 0, 0, 0)}<XSize>4</XSize><YSize>6</YSize></Rectangle>"
        f"<Line>{vector('From', -2, 0, 0)}{vector('To', 2, 0, 0)}</Line>"
    )
    ball = f'<Objects><Body name="Ball">{sphere("ball", (0.5, 1.5, 0.1))}</Body></Objects>'
    return read_world(f"<World><Static>{posts}</Static>{ball}<Markings>{lines}</Markings></World>")


def robot() -> RobotDescription:
    """A ball on the ground with a scanner, a mirror camera that lists objects, and line points."""
    sensors = (
        sensor(
            "LidarSensor", "Laser", "<Range>6</Range><Fov>360</Fov><Beams>36</Beams><Noise>0.02</Noise>", (0, 0, 0.1)
        )
        + sensor("LinePointSensor", "Lines", "<Range>5</Range><Fov>360</Fov><Beams>24</Beams><Noise>0.03</Noise>")
        + sensor("CameraSensor", "Cam", OBJECTS, (0, 0, 0.3), x=90)
        + sensor("GyroSensor", "Gyro")
    )
    body = f'<Body name="B">{sphere("s", radius=0.15)}{sensors}</Body>'
    drive = '<Motion><HolonomicDrive name="Drive"/></Motion>'
    return read_robot(
        f"<Client><CSettings><Name>Seeker</Name></CSettings><Entity><RigidBodies>{body}</RigidBodies>{drive}</Entity></Client>"
    )


def grid() -> PoseGrid:
    """Coarse, so that it is soon learned."""
    return PoseGrid.over((-2.0, -3.0, 2.0, 3.0), 0.5, 12)


@cache
def learned() -> SensorMap:
    """Learned once for all tests; none changes it."""
    return learn_map(robot(), world(), grid())


def seen_at(pose: tuple[float, float, float], seed: int = 0) -> dict[str, Any]:
    """What its sensors tell there, with their errors."""
    x, y, heading = pose
    with Simulation(world(), seed=seed) as simulation:
        found = simulation.spawn(robot(), position=(x, y, 0.15), heading=heading)
        return {name: found.read(name) for name in ("Laser", "Lines", "Cam")}
