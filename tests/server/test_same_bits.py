"""The same program, the same bits: whatever the speed of the clients, their order, their language, and lookahead."""

from __future__ import annotations

import io
import random
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.paths import ROOT
from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart, segway
from ubersim.client import connect
from ubersim.control.balancer import Balancer
from ubersim.protocol.document_settings import with_settings
from ubersim.simulation import Simulation

C_CLIENT = ROOT / "clients" / "c"
FRAMES = 4_000
LATENCIES = (0, 0, 5, 20, 20, 35, 7.5, 12)


@pytest.fixture(scope="module")
def c_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C client, freshly built."""
    program = tmp_path_factory.mktemp("c") / "segway_pd"
    sources = [str(C_CLIENT / "segway_pd.c"), str(C_CLIENT / "ubersim.c")]
    subprocess.run(["cc", "-std=c99", "-O2", "-o", str(program), *sources, "-lm"], check=True)
    return program


def balance(port: int, name: str, latency: float, naps: random.Random | None) -> None:
    """The Python client, which dozes off now and then."""
    with connect(segway(), port=port, name=name, latency=latency) as robot:
        balancer = Balancer()
        for frame in robot:
            if naps is not None and naps.random() < 0.002:
                time.sleep(0.01 * naps.random())
            if "Tilt" in frame:
                speed = balancer.update(frame["Tilt"])  # type: ignore[arg-type]
                robot.set("LMotor", "Vel", speed)
                robot.set("RMotor", "Vel", speed)


def run(serve: Callable[..., Any], c_client: Path, folder: Path, seed: int, c_robots: set[int], lookahead: bool) -> str:
    """Eight robots, of which some have C clients; all connect in random order, and the Python ones nap."""
    digest = io.StringIO()
    serving = serve(FRAMES, clients=8, digest=digest, lookahead=lookahead)
    chance = random.Random(seed)
    order = list(range(8))
    chance.shuffle(order)
    waiting: list[Callable[[], Any]] = []
    for index in order:
        name, latency = f"Robot{index}", LATENCIES[index]
        if index in c_robots:
            document = folder / f"{name}.xml"
            document.write_text(with_settings(segway(), name=name, latency=latency))
            command = [str(c_client), "127.0.0.1", str(serving.port), str(document), "0"]
            waiting.append(subprocess.Popen(command, stdout=subprocess.DEVNULL).wait)
        else:
            naps = random.Random(seed + index)
            thread = threading.Thread(target=balance, args=(serving.port, name, latency, naps), daemon=True)
            thread.start()
            waiting.append(thread.join)
        time.sleep(0.05 * chance.random())
    serving.result()
    for wait in waiting:
        wait()
    return digest.getvalue()


@pytest.mark.timeout(600)
def test_eight_robots_give_the_same_digests_however_they_run(
    serve: Callable[..., Any], c_client: Path, tmp_path: Path
) -> None:
    first = run(serve, c_client, tmp_path, seed=1, c_robots={0, 3, 5}, lookahead=True)
    lines = first.splitlines()
    assert len(lines) == FRAMES and lines[0].startswith("0 ") and lines[-1].startswith(f"{FRAMES - 1} ")
    assert len({line.split()[1] for line in lines}) == FRAMES, "the world stood still"
    assert run(serve, c_client, tmp_path, seed=2, c_robots={1, 3, 4, 7}, lookahead=False) == first
    assert run(serve, c_client, tmp_path, seed=3, c_robots=set(range(8)), lookahead=True) == first


def poses_of(names: list[str], into: dict[int, Any]) -> Callable[[Any], None]:
    def watch(server: Any) -> None:
        bodies = [body for name in names for body in server.simulation.robots[name].bodies.values()]
        into[server.simulation.frame] = [(*body.position, *body.quaternion) for body in bodies]

    return watch


def test_a_client_killed_in_mid_run_changes_nothing_for_the_others(serve: Callable[..., Any]) -> None:
    def others(with_victim: bool) -> dict[int, Any]:
        poses: dict[int, Any] = {}
        names = ["Alice", "Bob"]
        serving = serve(600, clients=3 if with_victim else 2, watch=poses_of(names, poses))
        threads = []
        for place, name in enumerate(names):
            client = RawClient(serving.port, cart(name, x=3.0 * place, latency="10"))
            threads.append(threading.Thread(target=client.serve_to_the_end, daemon=True))
        if with_victim:
            victim = RawClient(serving.port, cart("Victim", x=-3.0))
            for thread in threads:
                thread.start()
            victim.welcome()
            victim.acknowledge(200)
            victim.socket.close()
        else:
            for thread in threads:
                thread.start()
        serving.result()
        return poses

    assert others(with_victim=True) == others(with_victim=False)


def test_random_latencies_are_seeded(serve: Callable[..., Any]) -> None:
    model = '<Latency model="normal"><Mean>20</Mean><Sigma>8</Sigma><Min>3</Min><Loss>0.1</Loss></Latency>'

    def digest(seed: int) -> str:
        lines = io.StringIO()
        document = segway().replace("<Latency>10</Latency>", model)
        serving = serve(1500, Simulation(seed=seed), clients=1, digest=lines)
        with connect(document, port=serving.port) as robot:
            balancer = Balancer()
            for frame in robot:
                if "Tilt" in frame:
                    robot.set("LMotor", "Vel", balancer.update(frame["Tilt"]))  # type: ignore[arg-type]
                    robot.set("RMotor", "Vel", balancer.speed)
        serving.result()
        return lines.getvalue()

    assert digest(1) == digest(1)
    assert digest(1) != digest(2)
