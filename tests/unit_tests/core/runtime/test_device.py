"""The CPU is used when it was chosen or when there is nothing else."""

import pytest

from primus.core.runtime import device


@pytest.fixture
def dev(tmp_path):
    (tmp_path / "nvidiactl").touch()
    return tmp_path


def test_a_host_without_device_files_has_no_accelerator(dev):
    assert device.host_has_accelerator({}, str(dev)) is False


@pytest.mark.parametrize("name", ["nvidia0", "kfd"])
def test_a_device_file_is_an_accelerator_unless_it_is_hidden(dev, name):
    (dev / name).touch()
    assert device.host_has_accelerator({}, str(dev)) is True
    assert device.host_has_accelerator({"CUDA_VISIBLE_DEVICES": "0,1"}, str(dev)) is True
    assert device.host_has_accelerator({"HIP_VISIBLE_DEVICES": ""}, str(dev)) is False
    assert device.host_has_accelerator({"CUDA_VISIBLE_DEVICES": "-1"}, str(dev)) is False


@pytest.mark.parametrize(
    ("wanted", "there", "expected"),
    [("cpu", True, "cpu"), ("cuda", False, "cuda"), ("auto", True, "cuda"), (None, False, "cpu")],
)
def test_the_experiment_chooses_and_auto_leaves_it_to_the_host(monkeypatch, wanted, there, expected):
    monkeypatch.setattr(device, "host_has_accelerator", lambda: there)
    assert device.choose_device(wanted) == expected
