"""Many runs: a plan, its runs on one machine or on a cluster, a row for each of them."""

from ubersim.sweeps.plan import SweepPlan
from ubersim.sweeps.plan_file import load_plan, plan_from
from ubersim.sweeps.sweep import sweep

__all__ = ["SweepPlan", "load_plan", "plan_from", "sweep"]
