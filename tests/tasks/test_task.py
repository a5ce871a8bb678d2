from bert_keras.tasks.squad.task import QuestionAnswering
from bert_keras.tasks.task import description


def test_a_description_holds_the_name_and_all_fields():
    described = description(QuestionAnswering(doc_stride=64))
    assert described["task"] == "question_answering"
    assert QuestionAnswering(**{k: v for k, v in described.items() if k != "task"}).doc_stride == 64
