"""Numbers over time for graphs and tables: curves between samples, steps at commands."""

from __future__ import annotations

import csv

import numpy as np

from ubersim.protocol.quantity import Quantity
from ubersim.viewer.charts import polar_svg
from ubersim.viewer.traces import MOST_DRAWN, SPAN, Traces

QUANTITIES = Quantity("measured rate", "rad/s"), Quantity("wanted Vel", "rad/s"), Quantity("executed Vel", "rad/s")


def test_commands_are_steps_where_they_were_sent_and_where_they_act() -> None:
    traces = Traces(QUANTITIES, frozenset({1, 2}))
    traces.at(0.0)
    for place in (1, 2):
        traces.add(place, 0.0, 0.0)
    for time in (0.0, 0.1, 0.2):
        traces.at(time)
        traces.add(0, time, 10 * time)
    traces.add(1, 0.103, 5.0)
    traces.add(2, 0.153, 5.0)
    traces.add(2, 0.153, 5.0)  # the same again, with the next picture
    times, measured, wanted, executed = traces.drawn((0, 1, 2))
    assert (np.diff(times) > 0).all()
    for values, edge in ((wanted, 0.103), (executed, 0.153)):
        assert (values == np.where(times >= edge, 5.0, 0.0)).all()
    assert np.allclose(measured, 10 * times, atol=2e-5)
    rows = list(csv.reader(traces.table().splitlines()))
    assert rows[0] == ["time [s]", *map(str, QUANTITIES)]
    assert len(rows) == len(times) + 1


def test_traces_are_bounded_and_begin_anew_when_time_runs_back() -> None:
    traces = Traces(QUANTITIES[:1])
    for frame in range(5000):
        traces.at(frame * 0.01)
        traces.add(0, frame * 0.01, float(frame))
    times, values = traces.drawn((0,))
    assert times[-1] - times[0] <= SPAN and values[-1] == 4999
    assert len(times) <= MOST_DRAWN
    traces.at(1.0)
    assert traces.is_empty(0)
    assert traces.table().count("\n") == 2


def test_a_scan_is_drawn_around_its_scanner() -> None:
    svg = polar_svg(np.array([0.0, np.pi / 2, np.pi]), np.array([2.0, 1.0, np.inf]), 8.0, "m")
    assert "M160.0 20.0h.01" in svg, "ahead is up"
    assert "M90.0 160.0h.01" in svg, "positive angles are to the left"
    assert svg.count("h.01") == 2, "what is infinite has no point"
    assert ">2 m<" in svg and ">1 m<" in svg


def test_a_plot_of_many_samples_is_thinned() -> None:
    traces = Traces((Quantity("v"),))
    for count in range(3 * MOST_DRAWN):
        traces.at(0.5 * SPAN * count / (3 * MOST_DRAWN))
        traces.add(0, 0.5 * SPAN * count / (3 * MOST_DRAWN), float(count))
    grid, values = traces.drawn([0])
    assert len(grid) == len(values) == MOST_DRAWN and values[-1] == 3 * MOST_DRAWN - 1
