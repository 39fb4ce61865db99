"""The distributed environment is read strictly."""

import pytest

from primus.core.errors import LaunchEnvironmentError
from primus.core.utils.env import TorchrunEnv, get_torchrun_env


def test_a_process_without_torchrun_is_rank_0_of_1():
    assert get_torchrun_env({}) == TorchrunEnv(0, 0, 1, 1, "127.0.0.1", 29500)


def test_what_torchrun_sets_is_read():
    environ = {
        "RANK": "5",
        "LOCAL_RANK": "1",
        "WORLD_SIZE": "08",
        "LOCAL_WORLD_SIZE": "4",
        "MASTER_ADDR": "node1",
        "MASTER_PORT": "1234",
    }
    assert get_torchrun_env(environ) == TorchrunEnv(5, 1, 8, 4, "node1", 1234)


@pytest.mark.parametrize("value", ["-1", "a[$(touch x)]", "1.0", "٣"])
def test_a_rank_that_is_no_number_is_refused(value):
    with pytest.raises(LaunchEnvironmentError) as caught:
        get_torchrun_env({"RANK": value})
    assert caught.value.message == (f"environment variable RANK must be an integer of at least 0, got {value!r}")


def test_a_rank_outside_its_world_is_refused():
    with pytest.raises(LaunchEnvironmentError, match="^RANK=2 lies outside WORLD_SIZE=2$"):
        get_torchrun_env({"RANK": "2", "WORLD_SIZE": "2"})
