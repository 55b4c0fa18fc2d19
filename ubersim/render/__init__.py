"""Poses -> pixels. Knows nothing of physics, XML or sockets; OpenGL is loaded when the first picture maker is made."""

from ubersim.render.camera import Camera, LensModel, MirrorModel, Output, Projection, ShutterModel
from ubersim.render.inline import InlineRenderer
from ubersim.render.jobs import Job, Motion, Picture, PictureMaker
from ubersim.render.projections import pixel_rays, project, viewpoint
from ubersim.render.scene import (
    DirectionalSource,
    GroundPlane,
    Lights,
    PointSource,
    Scene,
    Sky,
    SpotSource,
)
from ubersim.render.shape_group import PlacedGroup, ShapeGroup
from ubersim.render.shapes import Shape, TriangleMesh, rotation_rows
from ubersim.render.workers import WorkerRenderer

__all__ = [
    "Camera",
    "DirectionalSource",
    "GroundPlane",
    "InlineRenderer",
    "Job",
    "LensModel",
    "Lights",
    "MirrorModel",
    "Motion",
    "Output",
    "Picture",
    "PictureMaker",
    "PlacedGroup",
    "PointSource",
    "Projection",
    "Scene",
    "Shape",
    "ShapeGroup",
    "ShutterModel",
    "Sky",
    "SpotSource",
    "TriangleMesh",
    "WorkerRenderer",
    "pixel_rays",
    "project",
    "rotation_rows",
    "viewpoint",
]
