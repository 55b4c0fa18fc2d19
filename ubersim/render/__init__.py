"""Poses -> pixels. Knows nothing of physics, XML or sockets; OpenGL is loaded when the first picture maker is made."""

from ubersim.render.camera import Camera, Lens, Mirror, Output, Projection
from ubersim.render.jobs import InlineRenderer, Job, Picture, PictureMaker
from ubersim.render.projections import pixel_rays, project, viewpoint
from ubersim.render.scene import (
    DirectionalLight,
    Ground,
    Lights,
    Mesh,
    PointLight,
    Scene,
    Shape,
    Sky,
    SpotLight,
    rotation_rows,
)
from ubersim.render.workers import WorkerRenderer

__all__ = [
    "Camera",
    "DirectionalLight",
    "Ground",
    "InlineRenderer",
    "Job",
    "Lens",
    "Lights",
    "Mesh",
    "Mirror",
    "Output",
    "Picture",
    "PictureMaker",
    "PointLight",
    "Projection",
    "Scene",
    "Shape",
    "Sky",
    "SpotLight",
    "WorkerRenderer",
    "pixel_rays",
    "project",
    "rotation_rows",
    "viewpoint",
]
