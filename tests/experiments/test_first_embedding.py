import pytest

from experiments import first_embedding


@pytest.mark.parity
def test_both_find_a_vector():
    assert first_embedding.ours() > 0
    assert first_embedding.in_transformers() > 0
