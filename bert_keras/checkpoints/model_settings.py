"""The flags that name a pretrained model. Loads no TensorFlow."""

import dataclasses

from bert_keras import flags


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Which model, and how long its inputs are. The settings of a program inherit these."""

    init_checkpoint: str | None = flags.setting(
        None,
        "The pretrained model: a folder of Google's, of Hugging Face's or of this project, or the "
        "weights in it.",
    )
    bert_config_file: str | None = flags.setting(
        None, "Its configuration, if it does not lie beside it."
    )
    vocab_file: str | None = flags.setting(None, "Its vocabulary, if it does not lie beside it.")
    do_lower_case: bool | None = flags.setting(
        None, "Whether the vocabulary is lower-cased; by default what the files say."
    )
    max_seq_length: int = flags.setting(
        128,
        "Most word pieces of an example, [CLS] and [SEP] among them; longer ones are cut.",
        minimum=3,
        maximum=2**20,
    )
