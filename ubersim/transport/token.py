"""The secret that a server may ask its clients for."""

from __future__ import annotations

from pathlib import Path

from ubersim.errors import UberSimError
from ubersim.files import read_file

LONGEST_TOKEN = 256
"""What a robot's document takes [characters]."""


def token_in(file: Path) -> str:
    """The token that a file holds, for servers that ask for it and for clients that give it."""
    try:
        token = read_file(file, 8 * LONGEST_TOKEN).decode().strip()
    except OSError as error:
        raise UberSimError(f"cannot read the token from {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UberSimError(f"{file} holds no token: it is not a text") from None
    if not 0 < len(token) <= LONGEST_TOKEN:
        raise UberSimError(f"{file} holds no token of 1 to {LONGEST_TOKEN} characters")
    return token
