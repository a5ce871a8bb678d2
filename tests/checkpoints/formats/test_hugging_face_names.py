import pytest
import tensorflow as tf

from bert_keras.checkpoints.formats import hugging_face_names as names
from tests import golden_model


def golden_names() -> list[str]:
    return list(
        tf.train.load_checkpoint(
            str(golden_model.FOLDER / "bert_model.ckpt")
        ).get_variable_to_shape_map()
    )


def test_every_name_of_a_checkpoint_of_the_original_has_one_there_and_leads_back():
    theirs = names.names_in_class("pretrainer", golden_model.config().num_hidden_layers)
    assert sorted(theirs) == sorted(golden_names())
    assert len(set(theirs.values())) == len(theirs)
    assert {name: names.name_from_hugging_face(theirs[name]) for name in theirs} == {
        n: n for n in theirs
    }


@pytest.mark.parametrize(
    "name, original",
    [
        ("bert.embeddings.word_embeddings.weight", "bert/embeddings/word_embeddings"),
        ("embeddings.LayerNorm.weight", "bert/embeddings/LayerNorm/gamma"),
        ("bert.embeddings.LayerNorm.gamma", "bert/embeddings/LayerNorm/gamma"),
        ("cls.predictions.transform.LayerNorm.beta", "cls/predictions/transform/LayerNorm/beta"),
        (
            "encoder.layer.13.attention.output.LayerNorm.beta",
            "bert/encoder/layer_13/attention/output/LayerNorm/beta",
        ),
        (
            "bert.encoder.layer.3.attention.self.query.weight",
            "bert/encoder/layer_3/attention/self/query/kernel",
        ),
        ("bert.encoder.layer.0.output.dense.bias", "bert/encoder/layer_0/output/dense/bias"),
        ("pooler.dense.weight", "bert/pooler/dense/kernel"),
        ("cls.predictions.bias", "cls/predictions/output_bias"),
        ("cls.seq_relationship.weight", "cls/seq_relationship/output_weights"),
        ("qa_outputs.weight", "cls/squad/output_weights"),
        ("classifier.bias", "output_bias"),
        ("predictions.bias", None),  # only the encoder goes without its prefix
        ("bert.classifier.bias", None),
        ("encoder.layer.x.output.dense.bias", None),
        ("encoder.layer.1.layer.2.output.dense.bias", None),
        ("roberta.embeddings.word_embeddings.weight", None),
    ],
)
def test_names_of_files(name, original):
    assert names.name_from_hugging_face(name) == original
