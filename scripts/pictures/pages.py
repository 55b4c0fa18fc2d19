"""Pictures of the live page."""

from __future__ import annotations

import tempfile
from pathlib import Path

from scripts.pictures.programs import balance, balance_and_tell, mark_ball
from scripts.pictures.stage import page_of, program

SERVE = ("serve", "--port", 0, "--world")


def lidar(file: Path) -> None:
    """A Pioneer follows a wall; its laser is chosen."""
    with page_of(*SERVE, "office") as stage:
        stage.enter(("pioneer", program("pioneer_wall", "follow"), {}))
        stage.run(9.0, rate=2.0)
        stage.pick("Sensors|Pioneer|Laser", "Pioneer", "Pioneer/Sensors")
        stage.run(1.0)
        stage.look_at("Fit chosen")
        stage.take(file)


def aibo(file: Path) -> None:
    """An AIBO turns its head to a ball."""
    with page_of(*SERVE, "legged_4x3") as stage:
        stage.enter(("aibo", program("aibo_search", "search"), {"position": (0.45, -0.45, 0.0)}))
        stage.pick("Motors|Aibo|HeadPanServo", "Aibo", "Aibo/Joints", "Aibo/Motors")
        stage.run(1.6, rate=0.2)
        stage.look_at("Fit chosen")
        stage.take(file)


def marked(file: Path) -> None:
    """An AIBO marks the ball in its camera's pictures."""
    with page_of(*SERVE, "legged_4x3") as stage:
        stage.enter(("aibo", mark_ball, {"protocol": 2, "position": (0.15, -1.1, 0.0)}))
        stage.pick("Sensors|Aibo|Camera", "Aibo", "Aibo/Sensors")
        stage.run(1.0)
        stage.look_at("Fit chosen")
        stage.take(file)


def msl(file: Path) -> None:
    """A middle size robot drives its square."""
    with page_of(*SERVE, "msl_12x8") as stage:
        stage.enter(("msl_omni", program("msl_square", "square"), {}))
        stage.pick("Robot|MSL|", "MSL")
        stage.run(5.0)
        stage.look_at("Fit chosen")
        stage.take(file)


def three(file: Path) -> None:
    """A car, a Pioneer and a Segway on the playground; the car's IMU is chosen."""
    with page_of(*SERVE, "playground", "--clients", 3) as stage:
        stage.enter(
            ("car", program("car_eight", "eights"), {"position": (1.6, -0.6, 0.0)}),
            ("pioneer", program("pioneer_wall", "follow"), {"position": (-1.5, -2.2, 0.0), "heading": -30.0}),
            ("segway", balance, {"position": (-3.0, -1.7, 0.0), "heading": 150.0}),
        )
        stage.pick("Sensors|Car|Imu", "Car", "Car/Sensors")
        stage.run(2.5)
        stage.look_at("Fit chosen")
        stage.take(file)


def latency(file: Path) -> None:
    """A Segway with 50 ms of latency is pushed; its left wheel is chosen."""
    with page_of(*SERVE, "playground") as stage:
        stage.enter(("segway", balance, {"latency": 50}))
        stage.run(2.0, rate=1.0)
        stage.pick("Joints|Segway|LMotor", "Segway", "Segway/Joints")
        stage.run(0.3, rate=0.1)
        stage.world.push("Segway", (0.0, 120.0, 0.0), 0.1)
        stage.run(0.7, rate=0.1)
        stage.look_at("Fit chosen")
        stage.take(file)


def programs(file: Path) -> None:
    """What the program of a Segway has declared, and what it says."""
    with page_of(*SERVE, "playground") as stage:
        stage.enter(("segway", balance_and_tell, {"protocol": 2}))
        stage.browser.press("Programs")
        stage.run(4.0, rate=1.0)
        stage.world.push("Segway", (0.0, 200.0, 0.0), 0.1)
        stage.run(0.6)
        stage.look_at("Fit chosen")
        stage.browser.press("Programs")
        stage.scroll_to("Programs")
        stage.take(file)


def score_board(file: Path) -> None:
    """Some seconds of a match of the middle size league, whose server has no door: it is paused from the page."""
    with page_of("match", "msl", "--rate", 1) as stage:
        stage.browser.wait(lambda: stage.time() >= 6.0)
        stage.browser.press("Pause")
        stage.unfold("Players")
        stage.look_at("Fit chosen")
        stage.take(file)


def replay(file: Path) -> None:
    """A log under control."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "run.mcap"
        with page_of(*SERVE, "playground", "--record", log) as stage:
            stage.enter(("segway", balance_and_tell, {"protocol": 2}))
            stage.run(4.0, rate=0.0)
        with page_of("replay", log, "--serve", "--port", 0) as stage:
            stage.world.seek(500)
            stage.pick("Robot|Segway|", "Segway")
            stage.browser.press("Programs")
            stage.run(1.5)
            stage.browser.wait(lambda: stage.browser.run("document.body.innerText.includes('tilt is')"))
            stage.scroll_to("Programs")
            stage.take(file)


PAGES = {
    "live_page": lidar,
    "live_page_aibo": aibo,
    "live_page_marked": marked,
    "live_page_msl": msl,
    "live_page_three": three,
    "live_page_latency": latency,
    "live_page_programs": programs,
    "score_board": score_board,
    "replay_under_control": replay,
}
