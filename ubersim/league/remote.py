"""The same players as clients over TCP."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from ubersim.client.joining import connect
from ubersim.files import read_file
from ubersim.league.player import SoccerPlayer
from ubersim.league.player_robot import PlayerRobot


def play(
    player: SoccerPlayer,
    robot: str | Path,
    host: str = "127.0.0.1",
    port: int = 9040,
    *,
    seed: int = 0,
    token: str | None = None,
    wait: float = 5.0,
) -> None:
    """Brings a robot to a server, given as a document or a file, and lets a player play until one of the two ends."""
    text = robot if isinstance(robot, str) and robot.lstrip().startswith("<") else read_file(robot).decode("utf-8-sig")
    settings = ET.fromstring(text).find("CSettings")
    team = "" if settings is None else settings.findtext("Team", "").strip()
    number = 0 if settings is None else int(settings.findtext("Number", "0"))
    with connect(text, host, port, token=token, wait=wait) as alive:
        me = PlayerRobot(alive, team=team, number=number, seed=seed)
        for frame in alive:
            if frame.readings:
                me.begin(frame)
                player.sense_and_act(me)
            if me.left:
                break
