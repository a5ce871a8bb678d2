import pytest

from tests.serving.exports import LENGTH, write_export, write_model


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """The folder of a classifier."""
    return write_model(tmp_path_factory.mktemp("models") / "model", "classifier")


@pytest.fixture(scope="session")
def exported(model, tmp_path_factory):
    """The folder of its export."""
    return write_export(model, tmp_path_factory.mktemp("exports"), max_seq_length=LENGTH)
