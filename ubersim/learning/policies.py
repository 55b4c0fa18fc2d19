"""Policies from outside: a Python function or class, an ONNX file, or a zip of Stable-Baselines3."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError

Policy = Callable[[Any], Any]
"""From an observation to an action. If it has a method `reset`, that is called when an episode begins."""


def load_policy(name: str) -> Policy:
    """`module:name` or `file.py:name`, a function or a class without arguments; `net.onnx`; `ppo.zip`."""
    file = Path(name)
    if file.suffix in (".onnx", ".zip"):
        if not file.is_file():
            raise UberSimError(f"there is no policy file {name!r:.200}")
        return OnnxPolicy(file) if file.suffix == ".onnx" else _stable_baselines(file)
    module, colon, attribute = name.rpartition(":")
    if not colon:
        raise UberSimError(f"a policy is module:name, file.py:name, an .onnx file or a .zip file, not {name!r:.200}")
    found = getattr(_module(module), attribute, None)
    if isinstance(found, type):
        found = found()
    if not callable(found):
        raise UberSimError(f"{module!r:.200} has no function {attribute!r} that could be a policy")
    policy: Policy = found
    return policy


class OnnxPolicy:
    """A network in a file: its first input takes the observation, its first output is the action."""

    def __init__(self, file: Path) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise UberSimError("policies in ONNX files need onnxruntime: pip install 'ubersim[learn]'") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # a small network in several threads is slower, and rounds differently
        self._file = file
        try:
            self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # whatever the runtime says to bytes that are no network
            raise UberSimError(f"{file} cannot be read as ONNX: {str(error)[:300]}") from None
        self._input = self._session.get_inputs()[0]
        self._output = self._session.get_outputs()[0].name

    def __call__(self, observation: Any) -> NDArray[np.float32]:
        """The action for an observation that is one vector, or a single picture."""
        given = np.asarray(observation, np.float32)[None]
        try:
            (action,) = self._session.run([self._output], {self._input.name: given})
        except Exception as error:
            wanted = self._input.shape
            raise UberSimError(
                f"{self._file} takes {wanted}, not an observation of {given.shape}: {error!s:.200}"
            ) from None
        first: NDArray[np.float32] = np.asarray(action, np.float32)[0]
        return first


def _stable_baselines(file: Path) -> Policy:
    try:
        with zipfile.ZipFile(file) as archive:
            settings = json.loads(archive.read("data"))
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise UberSimError(f"{file} is no model of stable-baselines3: {error!r:.200}") from None
    try:
        import stable_baselines3
    except ImportError:
        raise UberSimError(f"{file} needs stable-baselines3, which is not installed here") from None
    model = getattr(stable_baselines3, _algorithm(settings)).load(file, device="cpu")
    return lambda observation: model.predict(observation, deterministic=True)[0]


def _algorithm(settings: dict[str, Any]) -> str:
    """Which of its algorithms a model is of, by the settings that it alone has."""
    own = {"clip_range": "PPO", "target_entropy": "SAC", "policy_delay": "TD3", "exploration_rate": "DQN"}
    return next((algorithm for setting, algorithm in own.items() if setting in settings), "A2C")


def _module(name: str) -> ModuleType:
    if not name.endswith(".py"):
        try:
            return importlib.import_module(name)
        except (ImportError, ValueError) as error:  # the latter for what cannot be a module's name
            raise UberSimError(f"{name!r:.200} cannot be imported: {error!s:.200}") from None
    file = Path(name)
    if not file.is_file():
        raise UberSimError(f"there is no file {name!r:.200}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(file.stem, module)  # dataclasses and pickles look there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UberSimError(f"{name} fails when it is imported: {error!r:.300}") from error
    return module
