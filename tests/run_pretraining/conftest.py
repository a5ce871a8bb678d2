"""What the tests of the program share."""

import pytest

from tests.run_pretraining.inputs import settings_for, write_inputs


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    """A folder with records, a configuration and a vocabulary."""
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


@pytest.fixture
def settings(inputs, tmp_path):
    return settings_for(inputs, tmp_path / "run")
