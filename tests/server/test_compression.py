"""Pictures as files on their way to the client: PNG to the bit, JPEG nearly; logs and all else have the pixels."""

from __future__ import annotations

import struct
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.serving import Serving
from ubersim.client import connect
from ubersim.picture_files import decode_picture, encode_picture
from ubersim.recording import Log, Recorder, replay
from ubersim.server import serve_log
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.transport.listen import listen

CAMERA = """<Client><CSettings><Name>Eye</Name>
  <Spawn><Position><x>0</x><y>0</y><z>1</z></Position></Spawn></CSettings>
<Entity><RigidBodies><Body name="Head">
  <Box name="Case"><Mass>1</Mass><XSize>0.1</XSize><YSize>0.1</YSize><ZSize>0.1</ZSize>
    <Position><x>0</x><y>0</y><z>0</z></Position><Material>Plastic</Material></Box>
  <CameraSensor name="Cam"><Position><x>0</x><y>0.1</y><z>0</z></Position><Fov>60</Fov><Width>40</Width>
    <Height>30</Height><Frequency>500</Frequency>{more}</CameraSensor>
</Body></RigidBodies><Joints/></Entity></Client>"""
FRAMES = 4


def seen(port: int, more: str) -> list[NDArray[np.uint8]]:
    pictures = []
    with connect(CAMERA.format(more=more), port=port) as robot:
        for frame in robot:
            if "Cam" in frame:
                pictures.append(np.asarray(frame["Cam"]))
    return pictures


def run(more: str, record: Path | None = None) -> list[NDArray[np.uint8]]:
    simulation = Simulation("room")
    recorder = None if record is None else Recorder(simulation, record, images=1)
    serving = Serving(simulation, FRAMES, clients=1)
    pictures = seen(serving.port, more)
    serving.result()
    if recorder is not None:
        recorder.close()
    return pictures


def test_png_is_exact_and_jpeg_is_near() -> None:
    plain = run("")
    assert len(plain) == 2 and plain[0].shape == (30, 40, 4)
    png = run("<Compression>png</Compression><Stamped>true</Stamped>")
    jpeg = run("<Compression>jpeg</Compression>")
    assert all((one[..., :3] == other[..., :3]).all() for one, other in zip(plain, png, strict=True))
    assert all(one.shape == (30, 40, 4) for one in jpeg)
    assert np.abs(plain[0].astype(int) - jpeg[0])[..., :3].mean() < 6
    assert not (plain[0] == jpeg[0]).all()


@pytest.mark.parametrize("more", ["", "<Stamped>true</Stamped>", "<Switchable>true</Switchable>"])
def test_lz4_is_exact_and_carries_the_pictures_own_bytes(more: str) -> None:
    plain = run("")
    packed = run(f"<Compression>lz4</Compression>{more}")
    assert len(plain) == 2 and all((one == other).all() for one, other in zip(plain, packed, strict=True))


def test_the_bytes_of_lz4() -> None:
    """A frame of LZ4's: magic number, descriptor with the content's length, one block, the end mark."""
    file = encode_picture(np.full((2, 3, 4), 7, np.uint8), "lz4")
    assert file[:4] == bytes.fromhex("04224d18") and file[6:14] == struct.pack("<Q", 24) and file[-4:] == bytes(4)
    assert (decode_picture(file, "lz4", (2, 3)) == 7).all()


def test_a_switchable_camera_compresses_pictures_only() -> None:
    serving = Serving(Simulation("room"), 6, clients=1)
    forms = []
    more = "<Compression>png</Compression><Switchable>true</Switchable>"
    with connect(CAMERA.format(more=more), port=serving.port) as robot:
        for frame in robot:
            if "Cam" in frame:
                forms.append((frame.levels["Cam"], np.asarray(frame["Cam"]).shape[1:]))
                robot.set("Cam", "Level", 2)
    serving.result()
    assert forms[0] == (0, (40, 4)) and forms[-1] == (2, (5,))


def test_logs_have_pixels_and_their_clients_get_files_again(tmp_path: Path) -> None:
    more = "<Compression>png</Compression>"
    then = run(more, tmp_path / "a.mcap")
    now: list[NDArray[np.uint8]] = []
    with Log(tmp_path / "a.mcap") as log, listen("127.0.0.1", 0) as listener:
        assert replay(log) is None
        port = listener.getsockname()[1]
        thread = threading.Thread(target=lambda: now.extend(seen(port, more)), daemon=True)
        thread.start()
        serve_log(log, "Eye", listener, lambda _: None)
        thread.join(60)
    assert [picture.tobytes() for picture in now] == [picture.tobytes() for picture in then] != []


def test_in_process_there_are_pixels() -> None:
    simulation = Simulation("room")
    robot = LocalRobot(simulation, simulation.spawn(CAMERA.format(more="<Compression>jpeg</Compression>")))
    frame = robot.next_frame()
    assert np.asarray(frame["Cam"]).shape == (30, 40, 4)


@pytest.mark.parametrize("data", [b"", b"abc", encode_picture(np.zeros((2, 3, 4), np.uint8), "png")[:20]])
def test_what_is_no_picture(data: bytes) -> None:
    with pytest.raises(ValueError, match=f"a picture of {len(data)} bytes cannot be read"):
        decode_picture(data, "png", (2, 3))


@pytest.mark.parametrize("shape", [(1, 3), (2, 4)])
def test_lz4_that_is_larger_or_smaller_than_announced(shape: tuple[int, int]) -> None:
    file = encode_picture(np.zeros((2, 3, 4), np.uint8), "lz4")
    with pytest.raises(ValueError, match="does not unpack to"):
        decode_picture(file, "lz4", shape)
    with pytest.raises(ValueError, match="cannot be unpacked"):
        decode_picture(b"nothing at all", "lz4", shape)


def test_a_file_of_more_pixels_than_a_camera_has_is_not_unpacked() -> None:
    small = encode_picture(np.zeros((2, 3, 4), np.uint8), "png")
    huge = small[:16] + struct.pack(">II", 60000, 60000) + small[24:]
    with pytest.raises(ValueError, match="cannot be read"):
        decode_picture(huge, "png", (2, 3))
