"""The C client, compiled with checks of every access to memory, and a server that says what a test wants."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

from ubersim.protocol import Event, FromServer, Handshake, ServerConnection, encode

FOLDER = Path(__file__).parents[2] / "clients" / "c"
CHECKED = "-O1 -g -Werror -fsanitize=address,undefined -fno-sanitize-recover=all"

# Everything that segway_pd does not use; it says what it finds.
PROBE = r"""
#include <stdio.h>
#include <string.h>
#include "ubersim.h"

int main(int argc, char **argv)
{
    char error[UBERSIM_ERROR_SIZE];
    ubersim *robot = argc == 4 ? ubersim_connect(argv[1], argv[2], argv[3], error) : NULL;
    if (!robot) {
        printf("%s\n", error);
        return 1;
    }
    printf("%s\n", ubersim_welcome(robot));
    ubersim_set_latency(robot, 7.5f);
    int status;
    while ((status = ubersim_next_frame(robot)) > 0) {
        size_t size = 0;
        float value = 0;
        const unsigned char *bytes = ubersim_bytes(robot, "Cam", &size);
        unsigned long sum = 0;
        for (size_t i = 0; i < size; i++)
            sum = (sum * 31 + bytes[i]) % 1000003;
        printf("%.3f Cam %s %lu %lu", ubersim_time(robot), bytes ? "yes" : "no", (unsigned long)size, sum);
        if (ubersim_float(robot, "Tilt", &value))
            printf(" Tilt %g", value);
        printf(" Cam as float %d\n", ubersim_float(robot, "Cam", &value));
        ubersim_stamp(robot, ubersim_time(robot) + 0.125);
        ubersim_set(robot, "Wheel", UBERSIM_FMAX + UBERSIM_AXIS2, value);
    }
    printf("%d %s\n", status, ubersim_error(robot));
    if (ubersim_end(robot))
        printf("%s, then %d\n", ubersim_end(robot), ubersim_next_frame(robot));
    ubersim_close(robot);
    return 0;
}
"""


def build_segway(folder: Path) -> Path:
    """The program that comes with the client."""
    subprocess.run(["make", "-s", "-C", FOLDER, f"BUILD={folder}", f"CFLAGS={CHECKED}"], check=True)
    return folder / "segway_pd"


def build_probe(folder: Path) -> Path:
    """The program above."""
    (folder / "probe.c").write_text(PROBE)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", *CHECKED.split()]
    sources = [folder / "probe.c", FOLDER / "ubersim.c"]
    subprocess.run(["cc", *flags, f"-I{FOLDER}", "-o", folder / "probe", *sources, "-lm"], check=True)
    return folder / "probe"


class Peer:
    """A scripted server with one client, which is a process."""

    def __init__(self, program: Path, document: str, *arguments: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            command = [str(program), "127.0.0.1", str(listener.getsockname()[1]), document, *arguments]
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, errors="replace")
            listener.settimeout(60)
            self.socket, _ = listener.accept()
        self.socket.settimeout(60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def handshake(self) -> bytes:
        connection = ServerConnection()
        while True:
            connection.receive_data(self.socket.recv(65536))
            for event in connection.events():
                assert isinstance(event, Handshake) and connection.trailing_data == b""
                return event.document

    def send(self, *events: FromServer) -> None:
        self.socket.sendall(joined(*events))

    def receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size and (piece := self.socket.recv(size - len(data))):
            data += piece
        return data

    def finish(self) -> tuple[int, str, str]:
        self.socket.close()
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


def joined(*events: Event) -> bytes:
    return b"".join(encode(event) for event in events)
