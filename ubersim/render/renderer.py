"""Poses -> pixels: draws a job's views, with shadows if wanted, passes them through the lens, reads them back."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import RenderError
from ubersim.render import _gl, shader_constants, textures
from ubersim.render.camera import OUTPUTS, Camera, Output
from ubersim.render.frustum import looking, perspective, planes
from ubersim.render.geometry import detail_limits, shared_geometry
from ubersim.render.instances import FIRST_MESH, Instances, Records, unit_geometry
from ubersim.render.jobs import Job, Picture, shape_of
from ubersim.render.lens import LARGEST_BLUR, LensPass
from ubersim.render.pixel_formats import convert
from ubersim.render.placed_lights import block_values, moves, placed
from ubersim.render.plan import View
from ubersim.render.projections import viewpoint
from ubersim.render.radiation import class_number, ground_glow, seen_in
from ubersim.render.scene import MOST_LIGHTS, Light, Scene
from ubersim.render.shadows import ShadowMaps
from ubersim.render.shapes import TriangleMesh
from ubersim.render.shutter import GatheredLight, at, slices

Array = NDArray[np.float64]

TOLERANCE = {"image": 0.25, "depth": 0.02, "segmentation": 0.25}
"""How wrong the outline of a round shape may be [px]."""
CHORDS = 3.0
"""How deep a face's middle lies below the true surface, at most, in units of the tolerance."""
GROUND_OFFSET = 1.0, 64.0
"""How far the ground is pushed back, for markings lie on it, not in it: in depths of a pixel on its slope, and in the
smallest depths that there are."""
SEAM = 0.02
"""How far the sky reaches below the end of the ground, lest a pixel is neither [px]."""
LIMITS = {output: detail_limits(tolerance) for output, tolerance in TOLERANCE.items()}


@dataclass(frozen=True)
class Look:
    """Of a scene in one class of radiation."""

    lights: list[Light]
    """In the order that shaders know; those on bodies are in their frames."""
    switches: dict[str, int]
    constants: str


class Renderer:
    """Draws one scene at a time, as often as wanted."""

    def __init__(self, scene: Scene) -> None:
        self._device = _gl.device()
        self._lens = LensPass(self._device)
        self._units: dict[int, _gl.Drawable] = {}
        self._meshes: dict[TriangleMesh, _gl.Drawable] = {}
        self._view_block = self._device.context.buffer(reserve=4 * (16 + 6 * 4), dynamic=True)
        self._view = np.zeros((10, 4), np.float32)
        self._lamp_block = self._device.context.buffer(reserve=3 * MOST_LIGHTS * 16, dynamic=True)
        self._shadows: ShadowMaps | None = None
        self.set_scene(scene)

    def set_scene(self, scene: Scene) -> None:
        """Replaces the scene; only its own meshes and shadow maps are made anew."""
        if self._shadows is not None:
            self._shadows.release()
        self._scene = scene
        self._instances = Instances(scene)
        old, self._meshes = self._meshes, {}
        for mesh in self._instances.meshes:
            self._meshes[mesh] = old.pop(mesh) if mesh in old else self._drawable(mesh)
        for drawable in old.values():
            drawable.release()
        self._shadows = None
        self._looks: dict[int, Look] = {}

    def _look(self, radiation: int) -> Look:
        """What shaders are compiled for in pictures of a class of radiation; -1 is visible light."""
        if radiation not in self._looks:
            seen = seen_in(self._scene, radiation)
            switches = shader_constants.switches(seen) | {"RADIATION": int(radiation >= 0)}
            constants = shader_constants.source(seen, ground_glow(self._scene, radiation))
            self._looks[radiation] = Look(shader_constants.ordered_lights(seen), switches, constants)
        return self._looks[radiation]

    def _drawable(self, mesh: TriangleMesh) -> _gl.Drawable:
        made = self._device.drawable(shared_geometry(mesh))
        if mesh.texture:
            made.texture = self._device.texture(textures.pixels(mesh.texture))
        return made

    def draw(self, job: Job, out: Picture) -> None:
        """Makes the picture in `out`, a contiguous array of the right shape and type."""
        self._check(job, out)
        target = self._still(job) if job.motion_seen is None else self._exposed(job)
        self._read(target, job.camera, job.output, out)

    def _exposed(self, job: Job) -> _gl.Target:
        """Draws the picture of what moves: from several still ones, row by row, and with noise at the end."""
        camera = job.camera
        width, height = camera.width, camera.height
        noiseless = replace(camera, noise=0.0)
        light = GatheredLight(height, width)
        for part in slices(camera.shutter, height):
            still = self._still(replace(at(job, part.moment), camera=noiseless), part.rows)
            light.add(part, still.rows(part.rows, width))
        target = self._device.target((width, height), "image", depth=False, use="exposed")
        assert isinstance(target.color, _gl.Texture)
        target.color.write(light.picture())
        if not camera.noise:
            return target
        sensor = Camera(width, height, noise=camera.noise, seed=camera.seed)
        return self._lens.apply(sensor, "image", job.frame, target)

    def _still(self, job: Job, rows: slice | None = None) -> _gl.Target:
        """Draws the picture of one instant, or some rows of it."""
        camera, output = job.camera, job.output
        image = output == "image"
        context = self._device.context
        context.enable_only(context.DEPTH_TEST | context.CULL_FACE)
        context.front_face = "cw"  # rows count downwards, which turns every triangle round
        self._view_block.bind_to_uniform_block(0)
        radiation = class_number(self._scene, camera.radiation) if image else -1
        look = self._look(radiation)
        self._instances.paint(radiation)
        self._instances.place(job.positions, job.rotations)
        lights = placed(look.lights, job.positions, job.rotations)
        if any(map(moves, look.lights)):
            self._lamp_block.write(block_values(lights))
            self._lamp_block.bind_to_uniform_block(2)
        shadows = image and camera.shadows and any(light.shadow for light in self._scene.lights.sources)
        if shadows:
            self._draw_shadows(lights)

        plan = self._lens.plan(camera, output)
        lens = plan.lookup is not None or (image and camera.needs_lens_pass)
        samples = self._device.samples(camera.samples) if image else 0
        target = self._device.target(plan.size, output, samples)
        blur = image and camera.lens.aperture > 0
        switches = look.switches | {"OUTPUT": OUTPUTS.index(output), "SHADOWS": int(shadows), "BLUR": int(blur)}
        switches["FLAT"] = int(image and camera.flat)
        framebuffer = target.framebuffer
        framebuffer.use()
        framebuffer.viewport = (0, 0, *plan.size)
        first, size = 0, plan.size
        if rows is not None and not lens:  # through which rows come from anywhere
            first, size = rows.start, (camera.width, rows.stop - rows.start)
        framebuffer.scissor = (0, first, *size)
        framebuffer.clear(np.inf if output == "depth" else 0.0, depth=1.0)
        for view in plan.views:
            framebuffer.viewport = (*view.corner, *view.size)
            self._draw_view(job, view, switches, look.constants)
        if samples:
            resolved = self._device.target(plan.size, output, depth=False)
            context.copy_framebuffer(resolved.framebuffer, framebuffer)
            target = resolved
        if lens:
            target = self._lens.apply(camera, output, job.frame, target)
        return target

    def _read(self, target: _gl.Target, camera: Camera, output: Output, out: Picture) -> None:
        """Fetches a picture that was drawn, in the camera's format."""
        channels, dtype = _gl.FORMATS[output]
        other = output == "image" and camera.form != "bgra"
        pixels = np.empty((camera.height, camera.width, channels), np.uint8) if other else out
        target.framebuffer.read_into(pixels, (0, 0, camera.width, camera.height), components=channels, dtype=dtype)
        if other:
            convert(pixels.view(np.uint8), camera.form, out.view(np.uint8))

    def _check(self, job: Job, out: Picture) -> None:
        if len(job.positions) < self._instances.bodies or len(job.rotations) < self._instances.bodies:
            raise RenderError(f"the scene has {self._instances.bodies} bodies, the job only {len(job.positions)} poses")
        if out.shape != shape_of(job.camera, job.output) or not out.flags.c_contiguous:
            raise RenderError(f"a picture of shape {shape_of(job.camera, job.output)} does not fit into {out.shape}")

    def _draw_view(self, job: Job, view: View, switches: dict[str, int], constants: str) -> None:
        """Draws shapes, ground and sky into the current viewport: near things first, so that little is drawn twice."""
        camera, context = job.camera, self._device.context
        eye = job.position + job.rotation @ viewpoint(camera)
        axes = view.axes @ job.rotation.T
        clip_from_world = perspective(view, camera.near, camera.far) @ looking(axes, eye)
        self._write_view(clip_from_world, camera, view, axes, eye)
        context.depth_func = "<"
        programs: dict[int, _gl.Program] = {}
        for group, records in self._instances.select(planes(clip_from_world), eye, view.focal, LIMITS[job.output]):
            paint = self._paint_of(group)
            if paint not in programs:
                programs[paint] = self._object_program(switches, constants, paint)
            self._draw_group(programs[paint], group, records)
        context.disable(context.CULL_FACE)
        # Up to the end of all depths, where the ground may have been pushed to and the sky is.
        context.depth_func = "<="
        if self._scene.ground is not None:
            program = self._device.program("ground_vertex", "ground_fragment", switches | {"LIFT": 0}, constants)
            context.polygon_offset = GROUND_OFFSET
            self._device.draw_bare(program, 4, _gl.TRIANGLE_STRIP)
            context.polygon_offset = 0.0, 0.0
        if job.output == "image":
            chosen = {"BLUR": switches["BLUR"], "SHADOWS": 0, "CARRIED_LIGHTS": 0}
            program = self._device.program("sky_vertex", "sky_fragment", chosen, constants)
            context.enable_direct(_gl.CLIP_DISTANCE)
            self._device.draw_bare(program, 3)
            context.disable_direct(_gl.CLIP_DISTANCE)
        context.enable(context.CULL_FACE)

    def _object_program(self, switches: dict[str, int], constants: str, paint: int) -> _gl.Program:
        """Draws shapes that are coloured in this way."""
        chosen = switches | {"LIFT": 1, "PAINT": _gl.PLAIN if switches["RADIATION"] else paint}
        return self._device.program("object_vertex", "object_fragment", chosen, constants)

    def _paint_of(self, group: int) -> int:
        return self._meshes[self._instances.meshes[group - FIRST_MESH]].paint if group >= FIRST_MESH else _gl.PLAIN

    def _draw_group(self, program: _gl.Program, group: int, records: Records) -> None:
        context = self._device.context
        if group >= FIRST_MESH:
            # Nobody promised that a mesh is closed, or which way round its triangles are.
            context.disable(context.CULL_FACE)
            self._device.draw(self._meshes[self._instances.meshes[group - FIRST_MESH]], program, records)
            context.enable(context.CULL_FACE)
            return
        if group not in self._units:
            self._units[group] = self._device.drawable(unit_geometry(group))
        self._device.draw(self._units[group], program, records)

    def _draw_shadows(self, lights: list[Light]) -> None:
        if self._shadows is None:
            self._shadows = ShadowMaps(self._device, self._scene)
        self._device.context.depth_func = "<"
        self._shadows.update(self._instances, lights, self._write_matrix, self._draw_group)
        self._shadows.use()

    def _write_matrix(self, clip_from_world: Array) -> None:
        self._view[:4] = clip_from_world.T
        self._view_block.write(self._view)

    def _write_view(self, clip_from_world: Array, camera: Camera, view: View, axes: Array, eye: Array) -> None:
        """Fills the uniform block `View`. Single numbers are quicker in plain Python than in arrays."""
        across, ahead, upwards = axes.tolist()
        x, z = (view.left + view.right) / 2, (view.bottom + view.top) / 2
        wide, high = (view.right - view.left) / 2, (view.top - view.bottom) / 2
        lens = camera.lens
        farthest = camera.far * math.hypot(1, max(-view.left, view.right), max(-view.bottom, view.top))
        place: list[float] = eye.tolist()
        self._view[4:] = (
            (*place, CHORDS * TOLERANCE["image"] / view.focal),
            (*ahead, self._end_of_ground(place[2], camera.far) - SEAM / view.focal),
            (*(f + r * x + u * z for r, f, u in zip(across, ahead, upwards, strict=True)), 0.0),
            (*(r * wide for r in across), 0.0),
            (*(-u * high for u in upwards), 0.0),
            (camera.brightness, lens.aperture * view.focal / 2 / LARGEST_BLUR, 1 / lens.focus, farthest),
        )
        self._write_matrix(clip_from_world)

    def _end_of_ground(self, height: float, far: float) -> float:
        """How steeply one has to look up to see no ground: the rise of a ray per depth [1]."""
        ground = self._scene.ground
        return -1e9 if ground is None or height <= ground.height else (ground.height - height) / far

    def close(self) -> None:
        """Frees what the card holds for this scene; the context stays for the next."""
        for drawable in (*self._units.values(), *self._meshes.values()):
            drawable.release()
        self._units, self._meshes = {}, {}
        if self._shadows is not None:
            self._shadows.release()
            self._shadows = None
        self._lens.release()
        self._view_block.release()
        self._lamp_block.release()
