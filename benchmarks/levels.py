#!/usr/bin/env python3
"""What a reading of a camera costs on each level of abstraction: in this process, and over TCP in lockstep.

In process: the time from the order to the bytes, of the Segway's camera in worlds/playground.xml; the best of many
rounds, because other programs only ever add to it. Over TCP: wall time of a run with a reading in every frame, minus
that of the same run without a camera, per frame; a picture also has to be carried and received.

In a crowd: a camera above one of twelve robots of a league, whose wheels have real rollers; each reading is of a new
state. One camera looks ahead, the other one up into a mirror, and sees all around.
"""

from __future__ import annotations

import threading
import time

from lxml import etree

from ubersim.client import connect
from ubersim.components.sensors.camera import CameraDevice
from ubersim.description.resources import shipped
from ubersim.server import Server
from ubersim.simulation import Simulation

WORLD = shipped("worlds/playground.xml")
ROUNDS = 60
FRAMES = 600
PLAIN, RICH = "", "<Shadows>true</Shadows><Samples>4</Samples>"
CONTESTANTS = {
    "image 320x240": f"<Width>320</Width><Height>240</Height>{PLAIN}",
    "image 320x240, shadows, 4 samples": f"<Width>320</Width><Height>240</Height>{RICH}",
    "image 640x480": f"<Width>640</Width><Height>480</Height>{PLAIN}",
    "image 640x480, shadows, 4 samples": f"<Width>640</Width><Height>480</Height>{RICH}",
    "objects": "<Level>objects</Level>",
    "truth": "<Level>truth</Level>",
}

CROWDS = {"msl_omni": ("msl_12x8.xml", 1.2, 0.66), "ssl": ("ssl_9x6.xml", 0.5, 0.2)}
"""World, distance between neighbours, height of the camera [m]."""
VIEWS = {
    "ahead": "<Fov>60</Fov>",
    "all around": "<Fov>52</Fov><Projection>mirror</Projection><Rotation><x>90</x><y>0</y><z>0</z></Rotation>",
}


def segway(elements: str | None) -> str:
    """The Segway with such a camera that delivers in every frame, or without any."""
    root = etree.parse(shipped("robots/segway.xml"), etree.XMLParser(remove_comments=True)).getroot()
    (camera,) = root.iter("CameraSensor")
    for tag in ("Frequency", "Latency"):
        camera.remove(next(camera.iterchildren(tag)))
    if elements is None:
        next(camera.iterancestors()).remove(camera)
    else:
        camera.extend(etree.fromstring(f"<x>{elements}</x>"))
    return str(etree.tostring(root, encoding="unicode"))


def in_process(elements: str) -> float:
    """Seconds per reading, at best."""
    with Simulation(WORLD) as simulation:
        device = simulation.spawn(segway(elements)).sensors["Cam"].reader
        assert isinstance(device, CameraDevice)
        best = float("inf")
        for _ in range(ROUNDS):
            started = time.perf_counter()
            for _ in range(5):
                reading = device.sample()
                if not isinstance(reading, bytes):
                    reading.collect()
            best = min(best, (time.perf_counter() - started) / 5)
        return best


def player(robot: str, view: str, height: float, level: str) -> str:
    """A robot of a league with one camera of 320x240, which looks about from above it."""
    root = etree.parse(shipped(f"robots/{robot}.xml"), etree.XMLParser(remove_comments=True)).getroot()
    body = next(root.iter("Body"))
    for camera in body.findall("CameraSensor"):
        body.remove(camera)
    place = f"<Position><x>0</x><y>0</y><z>{height}</z></Position>"
    body.append(etree.fromstring(f'<CameraSensor name="Cam">{place}{VIEWS[view]}<Level>{level}</Level></CameraSensor>'))
    return str(etree.tostring(root, encoding="unicode"))


def in_a_crowd(robot: str, view: str, level: str, count: int = 12) -> float:
    """Seconds per reading, at best; the robots stand in rows of four."""
    world, spacing, height = CROWDS[robot]
    with Simulation(shipped(f"worlds/{world}")) as simulation:
        document = player(robot, view, height, level)
        for n in range(count):
            place = ((n % 4 - 1.5) * spacing, (n // 4 - 1) * spacing, 0.0)
            simulation.spawn(document if n == 0 else player(robot, view, height, "truth"), name=f"R{n}", position=place)
        device = simulation.robots["R0"].sensors["Cam"].reader
        assert isinstance(device, CameraDevice)
        best = float("inf")
        for turn in range(10):
            simulation.world.run(1)
            started = time.perf_counter()
            reading = device.sample()
            if not isinstance(reading, bytes):
                reading.collect()
            best = min(best, time.perf_counter() - started) if turn else best  # the first one prepares
        return best


def over_tcp(elements: str | None) -> float:
    """Seconds per frame."""

    def live(port: int) -> None:
        with connect(segway(elements), port=port) as robot:
            for _ in robot:
                pass

    with Server(Simulation(WORLD), port=0, clients=1) as server:
        client = threading.Thread(target=live, args=(server.address[1],))
        client.start()
        server.run(FRAMES // 4)  # warm
        started = time.perf_counter()
        server.run(FRAMES)
        wall = time.perf_counter() - started
    client.join()
    return wall / (FRAMES - FRAMES // 4)


def main() -> None:
    bare = min(over_tcp(None) for _ in range(3))
    costs = {name: (in_process(elements), over_tcp(elements) - bare) for name, elements in CONTESTANTS.items()}
    listed = costs["objects"]
    print(f"{'one reading':36}{'in process':>12}{'objects':>10}{'over TCP':>14}{'objects':>10}")
    for name, (here, wire) in costs.items():
        print(f"{name:36}{1e6 * here:9.0f} us{here / listed[0]:9.1f}x{1e6 * wire:11.0f} us{wire / listed[1]:9.1f}x")
    print(f"\n{'one reading among twelve':36}{'image 320x240':>14}{'objects':>12}{'truth':>12}{'image / objects':>17}")
    for robot in CROWDS:
        for view in VIEWS:
            image, objects, truth = (in_a_crowd(robot, view, level) for level in ("image", "objects", "truth"))
            print(
                f"{f'{robot}, {view}':36}{1e6 * image:11.0f} us{1e6 * objects:9.0f} us{1e6 * truth:9.0f} us"
                f"{image / objects:16.1f}x"
            )


if __name__ == "__main__":
    main()
