"""What the tests of robustness share."""

from tests.helpers.serving import serve as serve
