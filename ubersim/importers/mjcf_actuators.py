"""The actuators of MJCF: what fits our servos and motors, and springs in joints."""

from __future__ import annotations

from typing import Any

from ubersim.importers.mjcf_lines import Lines
from ubersim.importers.model import RobotModel, RobotMotor
from ubersim.importers.report import ImportReport


def read_actuators(mujoco: Any, m: Any, lines: Lines, model: RobotModel, report: ImportReport) -> None:
    """Adds motors to a model."""
    moving = {joint.name for joint in model.joints if joint.kind in ("hinge", "slider")}
    for number in range(m.nu):
        name, line = lines.name("actuator", number), lines.of("actuator", number)
        what = f"actuator {name}"
        if int(m.actuator_trntype[number]) not in (
            int(mujoco.mjtTrn.mjTRN_JOINT),
            int(mujoco.mjtTrn.mjTRN_JOINTINPARENT),
        ):
            report.dropped(line, what, "it drives no joint")
            continue
        joint = lines.name("joint", m.actuator_trnid[number, 0])
        if joint not in moving:
            report.dropped(line, what, f"joint {joint} has no axis to drive")
        elif any(motor.joint == joint for motor in model.motors):
            report.dropped(line, what, f"joint {joint} has another motor already")
        elif (motor := _motor(mujoco, m, number, name, joint, line)) is None:
            report.dropped(line, what, "its law is neither a motor's, nor a servo's, nor a speed controller's")
        else:
            model.motors.append(motor)
            if int(m.actuator_dyntype[number]) != int(mujoco.mjtDyn.mjDYN_NONE):
                report.changed(line, what, "its activation takes no time here")
            elif motor.kind == "velocity":
                report.changed(line, what, "it keeps its speed with all its torque, without a gain")
            else:
                report.taken(line, what, f"{motor.kind} of joint {joint}")


def _motor(mujoco: Any, m: Any, number: int, name: str, joint: str, line: int) -> RobotMotor | None:
    if int(m.actuator_gaintype[number]) != int(mujoco.mjtGain.mjGAIN_FIXED):
        return None
    gain, bias, gear = (
        float(m.actuator_gainprm[number, 0]),
        m.actuator_biasprm[number, :3],
        abs(float(m.actuator_gear[number, 0])),
    )
    affine = int(m.actuator_biastype[number]) == int(mujoco.mjtBias.mjBIAS_AFFINE)
    if int(m.actuator_biastype[number]) not in (int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE)):
        return None
    most = max(abs(m.actuator_forcerange[number])) * gear if m.actuator_forcelimited[number] else None
    if not affine or not bias.any():
        if most is None and m.actuator_ctrllimited[number]:
            most = abs(gain) * max(abs(m.actuator_ctrlrange[number])) * gear
        return RobotMotor(name, joint, "torque", limit=None if most is None else float(most), line=line)
    stiffness, damping = -float(bias[1]) * gear**2, -float(bias[2]) * gear**2
    limit = None if most is None else float(most)
    if stiffness > 0:
        return RobotMotor(name, joint, "position", kp=stiffness, kd=max(damping, 0.0), limit=limit, line=line)
    if damping > 0:
        if limit is None:
            limit = float(damping * max(abs(m.actuator_ctrlrange[number]))) or None
        return RobotMotor(name, joint, "velocity", limit=limit, line=line)
    return None


def read_springs(m: Any, lines: Lines, model: RobotModel, report: ImportReport) -> None:
    """Joints that pull towards a position of rest."""
    named = {joint.name: joint for joint in model.joints}
    for number in range(m.njnt):
        stiffness = m.jnt_stiffness[number]
        stiffness = float(stiffness[0]) if getattr(stiffness, "ndim", 0) else float(stiffness)
        joint = named.get(lines.name("joint", number))
        if stiffness <= 0 or joint is None:
            continue
        what = f"spring of joint {joint.name}"
        if joint.kind not in ("hinge", "slider"):
            report.dropped(joint.line, what, "a ball joint has no spring here")
        elif any(motor.joint == joint.name for motor in model.motors):
            report.dropped(joint.line, what, "a motor drives that joint")
        else:
            joint.stiffness, joint.rest = stiffness, float(m.qpos_spring[m.jnt_qposadr[number]])
            report.taken(joint.line, what, f"{stiffness:g}")
