"""Logs that were damaged on their way, or forged: reading one ends with an error of ours, never in a stack of calls."""

from __future__ import annotations

import json
import struct
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from typer.testing import CliRunner

from tests.helpers.recording_clients import EYE
from tests.helpers.recording_robots import car, drive, world
from tests.robustness.chance import chance, damaged_bytes, damaged_json
from ubersim.cli.app import app
from ubersim.errors import UberSimError
from ubersim.recording import Log, Recorder, replay
from ubersim.recording.block import TOPIC as BLOCKS
from ubersim.recording.block import Block
from ubersim.recording.chunks import Chunks
from ubersim.recording.event import TOPIC as EVENTS
from ubersim.recording.event import RecordedEvent
from ubersim.recording.file import LogWriter, Schema
from ubersim.recording.replayed_robot import ReplayedRobot
from ubersim.recording.robot_history import RobotHistory
from ubersim.recording.tables import collect, export, topics
from ubersim.simulation import Simulation
from ubersim.supervision import Interventions
from ubersim.viewer.log_source import LogSource


@cache
def sound() -> bytes:
    """A small log in which everything happens that can happen."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        simulation = Simulation(world(Path(folder)), seed=3)
        simulation.spawn(car(sensors=EYE), name="One", position=(0.0, 0.0, 0.01))
        with Recorder(simulation, path, images=1):
            drive(simulation, 20)
            before = simulation.snapshot()
            simulation.spawn(car(), name="Two", position=(1.0, 0.0, 0.01))
            simulation.push("One/Chassis", (3.0, 1.0, 0.0), 0.01)
            drive(simulation, 30)
            Interventions(simulation).execute("Teleport", {"thing": "Ball", "position": [0.5, 0.5, 1.0]})
            Interventions(simulation).execute("Latency", {"robot": "One", "milliseconds": 5.0})
            drive(simulation, 10)
            simulation.restore(before)
            simulation.mark("again")
            drive(simulation, 20)
        return path.read_bytes()


def damaged(random: Random) -> bytes:
    """A log that is no longer what was written."""
    return damaged_bytes(random, sound()) if chance(random, 0.3) else forged(random, sound())


def forged(random: Random, log: bytes) -> bytes:
    """A log that is a sound MCAP file, with something else in it."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "a.mcap", Path(folder) / "b.mcap"
        source.write_bytes(log)
        chunks = Chunks(source)
        writer = LogWriter(target)
        facts, attachments = dict(chunks.metadata["ubersim"]), dict(chunks.attachments)
        where = random.randrange(6)
        if where == 0:
            facts = {
                key: str(damaged_json(random, value)).encode(errors="replace").decode()
                if chance(random, 0.2)
                else value
                for key, value in facts.items()
            }
        if where == 1:
            name = random.choice(list(attachments))
            attachments[name] = damaged_bytes(random, attachments[name])
            if chance(random, 0.1):
                del attachments[name]
        writer.describe(facts, {name: ("", data) for name, data in attachments.items()})
        messages = [message for number in range(len(chunks.places)) for message in [*chunks.messages(number), None]]
        own = [i for i, message in enumerate(messages) if message and chunks.topics[message.channel_id] in OWN]
        victim = random.choice(own)
        for place, message in enumerate(messages):
            if message is None:
                writer.flush()
                continue
            topic, data = chunks.topics[message.channel_id], message.data
            if where > 1 and place == victim:
                match random.randrange(10):
                    case 0:
                        continue
                    case 1:
                        data = damaged_bytes(random, data)
                    case 2:
                        writer.add(topic, Schema(topic, messages=topic), message.log_time, data)
                    case _:
                        data = forged_block(random, data) if topic == BLOCKS else forged_event(random, data)
            writer.add(topic, Schema(topic, messages=topic), message.log_time, data)
        writer.close()
        chunks.close()
        return target.read_bytes()


OWN = (BLOCKS, EVENTS)


def forged_event(random: Random, data: bytes) -> bytes:
    """An event of which something is wrong."""
    return json.dumps(damaged_json(random, json.loads(data))).encode()


def forged_block(random: Random, data: bytes) -> bytes:
    """A block whose head, or one of whose arrays, is wrong."""
    if chance(random, 0.5):
        (length,) = struct.unpack_from("<I", data)
        text = json.dumps(damaged_json(random, json.loads(data[4 : 4 + length]))).encode()
        return struct.pack("<I", len(text)) + text + data[4 + length :]
    block = Block.decode(data)
    match random.randrange(5):
        case 0:
            return replace(block, first=block.first + random.choice([-5, 5, 10**9])).encode()
        case 1:
            return replace(block, payloads=block.payloads[: random.randrange(len(block.payloads) + 1)]).encode()
        case 2:
            name = random.choice(["fingerprints", "states", "sampled", "commands", "readings"])
            array = getattr(block, name)
            return replace(block, **{name: array[: random.randrange(len(array) + 1)]}).encode()
        case 3 if len(block.commands):
            commands = block.commands.copy()
            field: Any = random.choice(["frame", "component", "property", "value"])
            commands[field][random.randrange(len(commands))] = random.choice([0, 7, 2**31, 2**32 - 1])
            return replace(block, commands=commands).encode()
        case 4 if len(block.readings):
            readings = block.readings.copy()
            field = random.choice(["frame", "component", "size", "picture"])
            readings[field][random.randrange(len(readings))] = random.choice([0, 7, 2**31, 2**32 - 1])
            return replace(block, readings=readings).encode()
    states = block.states.copy()
    if states.size:
        states.flat[random.randrange(states.size)] = random.choice([np.nan, np.inf, 1e300])
    return replace(block, states=states).encode()


def read(log: bytes) -> list[str]:
    """Everything that can be done with a log; the errors, each of which is one of ours."""
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        path.write_bytes(log)
        for use in (_info, _replayed, _tables, _page, _clients, _instants):
            try:
                use(path)
            except UberSimError as error:
                complaints.append(f"{use.__name__}: {error}")
    return complaints


def _info(path: Path) -> None:
    result = CliRunner().invoke(app, ["info", str(path)])
    if result.exception is not None:
        raise result.exception
    assert all(character.isprintable() or character == "\n" for character in result.output)


def _replayed(path: Path) -> None:
    with Log(path) as log:
        replay(log)


def _tables(path: Path) -> None:
    with Log(path) as log:
        known = list(topics(log))
        collect(log, known[:2])
        files = export(log, path.parent / "csv")
        assert len(set(files)) == len(known)
        assert all(file.parent == path.parent / "csv" for file in files)


def _page(path: Path) -> None:
    with Log(path) as log:
        source = LogSource(log)
        sensors = ["One/Tilt", "One/Eye", "Two/Tilt"]
        for share in (0.0, 0.4, 1.0):
            source.at(source.begin + share * (source.end - source.begin), sensors)


def _clients(path: Path) -> None:
    with Log(path) as log:
        for item in log.items():
            if isinstance(item, RecordedEvent) and item.kind == "joined":
                ReplayedRobot(log, item).settable()
                for _ in RobotHistory(log, item, lambda note: None).moments():
                    pass


def _instants(path: Path) -> None:
    with Log(path) as log:
        for instant in log.instants(backwards=True):
            assert len(instant.poses) == len(instant.states)
        log.at(0.01)


def run(random: Random) -> None:
    """One log."""
    read(damaged(random))
