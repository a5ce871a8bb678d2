import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tasks.classification.labels import check_names, model_labels

NLI = ("contradiction", "entailment", "neutral")


@given(st.permutations(NLI), st.booleans(), st.booleans())
def test_a_model_with_the_same_labels_keeps_its_order(stored, is_trained, is_given):
    stored = tuple(stored)
    assert model_labels(NLI, stored, is_trained, is_given) == (stored, stored)


def test_capitals_make_no_difference():
    stored = ("CONTRADICTION", "NEUTRAL", "ENTAILMENT")
    assert model_labels(NLI, stored, is_trained=False, is_given=False) == (
        stored,
        ("contradiction", "neutral", "entailment"),
    )
    assert model_labels(("A", "a"), ("a", "A"), False, False) == (("a", "A"), ("a", "A"))


def test_a_model_without_labels_or_with_others_gets_new_ones_to_learn():
    assert model_labels(NLI, (), is_trained=False, is_given=False) == (NLI, NLI)
    assert model_labels(NLI, ("no", "yes"), is_trained=True, is_given=False) == (NLI, NLI)


def test_outputs_without_names_get_those_of_the_data_in_order_and_that_is_said(capsys):
    names, stored = ("0", "1"), ("LABEL_0", "LABEL_1")
    assert model_labels(names, stored, False, False) == (names, names)
    assert "LABEL_0 = 0, LABEL_1 = 1" in capsys.readouterr().err


def test_a_user_may_say_what_the_outputs_mean(capsys):
    stored = ("NEGATIVE", "POSITIVE")
    assert model_labels(("0", "1"), stored, False, is_given=True) == (stored, ("0", "1"))
    assert "NEGATIVE = 0, POSITIVE = 1" in capsys.readouterr().err


def test_the_only_output_of_a_regression_may_have_any_name():
    assert model_labels(("score",), ("LABEL_0",), True, False) == (("LABEL_0",), ("score",))


@pytest.mark.parametrize("stored", [("no", "yes", "maybe"), ("LABEL_0", "LABEL_1")])
def test_other_labels_cannot_be_evaluated(stored):
    with pytest.raises(InputError, match=rf"{', '.join(NLI)}.*{', '.join(stored)}.*--labels"):
        model_labels(NLI, stored, is_trained=False, is_given=False)


@pytest.mark.parametrize("name", ["", "a\tb", "a\nb", "b\r", "a\u2028b"])
def test_a_name_that_no_table_can_hold_is_refused(name):
    with pytest.raises(InputError, match="A label must not be empty.*--labels") as error:
        check_names(("sun", name))
    assert repr(name) in str(error.value)
    check_names(("sun", "rain, heavy", '"', " "))


def test_a_name_that_is_there_twice_is_refused():
    with pytest.raises(InputError, match="must differ from each other. Received: 'sun' twice"):
        check_names(("sun", "rain", "sun"))
