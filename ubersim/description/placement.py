"""Moves a part of a document to another place: its positions, anchors, axes and rotations."""

from __future__ import annotations

import math

import numpy as np
from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.value_types import number_in
from ubersim.geometry import Array, Pose, product, rotation_to_xyz, rotation_xyz_degrees

POINTS = ("Position", "AnchorPos")
DIRECTIONS = ("Axis", "Axis1", "Axis2", "Axis3")
MOMENTS = {"Ixx": (0, 0), "Iyy": (1, 1), "Izz": (2, 2), "Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}
"""Where each number of an `Inertia` stands in the tensor."""


def pose_of(element: Element) -> Pose:
    """The pose that an element's `Position` and `Rotation` give; zero where they are absent."""
    position, rotation = (_vector(element.find(tag)) for tag in ("Position", "Rotation"))
    return Pose(
        np.zeros(3) if position is None else position,
        np.eye(3) if rotation is None else rotation_xyz_degrees(rotation.tolist()),
    )


def move(part: Element, pose: Pose) -> None:
    """Everything in the part's model space is seen from outside; what is no vector is left to the reader."""
    for holder in [part, *part.iterdescendants("*")]:
        if (place := holder.find("Position")) is not None and _vector(place) is not None:
            _turn(holder, place, pose.rotation)
    for element in part.iterdescendants(*POINTS, *DIRECTIONS):
        vector = _vector(element)
        if vector is not None:
            _write(element, pose.apply(vector) if element.tag in POINTS else pose.turn(vector))
    for inertia in part.iterdescendants("Inertia"):
        _move_inertia(inertia, pose)


def _turn(primitive: Element, place: Element, turn: Array) -> None:
    """A primitive's own rotation comes first."""
    rotation = primitive.find("Rotation")
    own = np.zeros(3) if rotation is None else _vector(rotation)
    if own is None or (rotation is None and (turn == np.eye(3)).all()):
        return
    if rotation is None:
        rotation = etree.Element("Rotation")
        for axis in "xyz":
            etree.SubElement(rotation, axis)
        place.addnext(rotation)
    degrees = [math.degrees(angle) for angle in rotation_to_xyz(product(turn, rotation_xyz_degrees(own.tolist())))]
    _write(rotation, np.array(degrees))


def _move_inertia(inertia: Element, pose: Pose) -> None:
    """The centre is a point, and the tensor turns along."""
    center = inertia.find("Center")
    if (vector := _vector(center)) is not None and center is not None:
        _write(center, pose.apply(vector))
    tensor = np.zeros((3, 3))
    for tag, (row, column) in MOMENTS.items():
        tensor[row, column] = tensor[column, row] = number_in((inertia.findtext(tag) or "0").strip())
    if np.isfinite(tensor).all() and (pose.rotation != np.eye(3)).any():
        turned = product(product(pose.rotation, tensor), pose.rotation.T)
        for tag, place in MOMENTS.items():
            child = inertia.find(tag)
            if child is None:
                child = etree.SubElement(inertia, tag)
            child.text = repr(float(turned[place]) + 0.0)


def _vector(element: Element | None) -> Array | None:
    if element is None:
        return None
    values = np.array([number_in((element.findtext(axis) or "").strip()) for axis in "xyz"])
    return values if np.isfinite(values).all() else None


def _write(element: Element, vector: Array) -> None:
    for axis, value in zip("xyz", vector, strict=True):
        child = element.find(axis)
        assert child is not None
        child.text = f"{value + 0.0:.15g}"
