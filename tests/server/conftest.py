"""What the tests of the server share."""

from tests.helpers.serving import serve as serve
