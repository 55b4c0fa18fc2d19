"""Two logs side by side: where they part, why, and how far they go apart."""

from ubersim.comparison.divergence import Divergence, compare
from ubersim.comparison.growth import Growth, growth

__all__ = ["Divergence", "Growth", "compare", "growth"]
