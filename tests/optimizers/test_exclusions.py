import pytest

from bert_keras.errors import InputError
from bert_keras.optimizers.exclusions import EXCLUDE_FROM_WEIGHT_DECAY, Exclusions

BERT_PATHS = ["layer_0/output/LayerNorm/gamma", "layer_0/output/dense/bias", "word_embeddings"]


def test_patterns_are_found_anywhere_in_a_path():
    exclusions = Exclusions("option", ["LayerNorm", "bias$"])
    assert exclusions.cover("layer_0/output/LayerNorm/gamma")
    assert exclusions.cover("layer_0/output/dense/bias")
    assert not exclusions.cover("layer_0/bias_free/kernel")


def test_default_pattern_that_is_idle_in_the_original_too_is_no_news(capsys):
    Exclusions("original", EXCLUDE_FROM_WEIGHT_DECAY).check(BERT_PATHS)
    assert not capsys.readouterr().err


def test_default_pattern_that_matches_only_in_the_original_is_told_once(capsys):
    for _ in range(2):
        Exclusions("list_without_norms", EXCLUDE_FROM_WEIGHT_DECAY).check(["dense/bias"])
    assert capsys.readouterr().err.splitlines() == [
        "notice: list_without_norms: 'LayerNorm' matches no variable; a list of your own can leave "
        "it out"
    ]


@pytest.mark.parametrize(
    ("patterns", "idle"),
    [
        (["LayerNorm", "layer_normalization"], "layer_normalization"),
        (["layer_norm"], "layer_norm"),  # alone it would leave every LayerNorm decayed
    ],
)
def test_own_pattern_that_matches_nothing_is_an_error(patterns, idle):
    with pytest.raises(InputError, match=f"Every pattern of option .*'{idle}'"):
        Exclusions("option", patterns).check(BERT_PATHS)


def test_no_pattern_excludes_nothing():
    exclusions = Exclusions("option", [])
    exclusions.check(BERT_PATHS)
    assert not any(map(exclusions.cover, BERT_PATHS))


@pytest.mark.parametrize(
    ("patterns", "rule"), [("bias", "must be a list"), (["("], "holds regular expressions")]
)
def test_what_is_no_list_of_patterns_is_refused(patterns, rule):
    with pytest.raises(InputError, match=f"option {rule}.*Received"):
        Exclusions("option", patterns)
