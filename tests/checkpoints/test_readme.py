"""The commands of the page about weights run as printed."""

from pathlib import Path

import pytest

import bert_keras
from tests import pages
from tests.checkpoints import stored_models
from tests.checkpoints.stored_models import write

PAGE = Path(bert_keras.__file__).parent / "checkpoints" / "README.md"


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path):
    write(stored_models.stored(with_state=True), f"{tmp_path}/my_bert", "bert_keras")
    printed = pages.run_commands(PAGE, tmp_path).stdout
    assert printed.count("largest difference of masked_lm_logits: 0\n") == 3
    assert (tmp_path / "for_the_original" / "bert_model.ckpt.index").exists()
