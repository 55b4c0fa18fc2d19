"""A robot's latencies, from its log: from the commands that were sent, and the readings that were received."""

from __future__ import annotations

from dataclasses import dataclass, field

from ubersim.errors import UberSimError
from ubersim.identification.delay import Delay, Stage, wilson
from ubersim.identification.distribution import Fit, fit
from ubersim.identification.flaws import drift_of, flaws_of, remarks_of, reversal_of
from ubersim.identification.responses import response_delays
from ubersim.identification.samples import DelaySamples
from ubersim.identification.sensing import sensing_delays
from ubersim.identification.transfer import transfer_delay
from ubersim.signals import Signal

_EXPLAINED = 0.01
"""What a command has to explain of a response at least, to have anything to do with it."""
_EARLIEST = 0.25
"""By so much a response may be early if clocks are wrong, and still be recognised [s]."""


@dataclass
class Identification:
    """What was found, and what has to be known about it."""

    command: Signal
    response: Signal
    delays: list[Delay] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    samples: dict[Stage, DelaySamples] = field(default_factory=dict)
    """What the distributions were fitted to."""

    @property
    def total(self) -> float:
        """From command to response, on average [s]."""
        return sum(delay.fit.mean for delay in self.delays)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.delays), *(f"note: {remark}" for remark in self.remarks)])


def identify(command: Signal, response: Signal, *, sent: bool = True) -> Identification:
    """Raises an error that names what is wrong with the log, if that is so.

    `sent`: commands are noted when they were sent; else when they were executed, as our own logs do, so that there is
    no actuation to be found.
    """
    for flaw in flaws_of(command, response):
        raise UberSimError(flaw)
    found = Identification(command, response, remarks=list(remarks_of(command, response)))
    if response.stamps is not None:
        _add(found, "sensing", sensing_delays(response), "readings")
    stage = _stage(sent, response.stamps is not None)
    if stage is None:
        found.remarks.append("the log notes commands when they were executed: actuation is not in it")
        return found
    samples = response_delays(command, response)
    if samples is not None:
        _add(found, stage, samples, "responses")
    else:
        _add_transfer(found, stage)
    if not sent:
        found.remarks.append("the log notes commands when they were executed: this is sensing alone")
    return found


def _stage(sent: bool, stamped: bool) -> Stage | None:
    """What lies between a command and the response, as the log has them."""
    if sent:
        return "actuation" if stamped else "both"
    return None if stamped else "sensing"


def _add(found: Identification, stage: Stage, samples: DelaySamples, what: str) -> None:
    for flaw in (reversal_of(samples, what), drift_of(samples, what)):
        if flaw:
            raise UberSimError(flaw)
    delay = Delay(
        stage,
        fit(samples),
        len(samples),
        samples.lost / samples.expected,
        wilson(samples.lost, samples.expected),
    )
    found.samples[stage] = samples
    found.delays.append(delay)


def _add_transfer(found: Identification, stage: Stage) -> None:
    transfer = transfer_delay(found.command, found.response)
    if transfer.explained < _EXPLAINED:
        reverse = transfer_delay(found.command, found.response.shifted(_EARLIEST))
        if reverse.explained > 10 * _EXPLAINED and reverse.delay < _EARLIEST:
            early = 1000 * (_EARLIEST - reverse.delay)
            raise UberSimError(f"clock offset: {found.response.name} answers {early:.3g} ms before it is told to")
        raise UberSimError(
            f"{found.response.name} does not follow {found.command.name}: {transfer.explained:.1%} of it"
        )
    value = Fit("constant", {"Value": transfer.delay}, {"Value": transfer.interval}, transfer.delay)
    found.delays.append(Delay(stage, value, len(found.response), None))
    found.remarks.append(
        "the command does not hold between changes until the response has settled: only the delay that all commands "
        "have in common was found; for jitter and loss, log steps that are farther apart"
    )
