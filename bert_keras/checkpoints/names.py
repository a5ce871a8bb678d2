"""The names that the checkpoints of google-research/bert give to what they hold.

Paths of variables are the original's names but for the prefix of the outermost scope.
"""

# outermost layer here -> scopes there
SCOPES = {
    "embeddings": "bert/embeddings/",
    "layer": "bert/encoder/layer",
    "pooler": "bert/pooler/",
    "predictions": "cls/predictions/",
    "seq_relationship": "cls/seq_relationship/",
    "classifier": "",  # run_classifier.py has its head in no scope
    "squad": "cls/squad/",
}
ADAM_SLOTS = ("adam_m", "adam_v")
GLOBAL_STEP = "global_step"
DROPOUT_SEED = "dropout_seed_"  # begins the names of seeds in the checkpoints of our own runs

WORDS = "bert/embeddings/word_embeddings"
POSITIONS = "bert/embeddings/position_embeddings"
SEGMENTS = "bert/embeddings/token_type_embeddings"
LAYERS = "bert/encoder/layer"
OUTPUT_BIAS = "cls/predictions/output_bias"  # one entry for each row of the word table
POOLER = "bert/pooler/"
# How the names of heads begin: what may be missing where a model is to be trained.
HEADS = ("cls/", "output_weights", "output_bias")


def original_name(path: str) -> str:
    """`layer_0/attention/self/query/kernel` -> `bert/encoder/layer_0/attention/…`.

    A variable of no layer in `SCOPES` keeps its path as its name.
    """
    outermost, slash, rest = path.partition("/")
    scope, underscore, index = outermost.rpartition("_")
    if index.isdigit() and scope in SCOPES:
        return SCOPES[scope] + underscore + index + slash + rest
    return SCOPES[outermost] + rest if outermost in SCOPES else path


def is_state(name: str) -> bool:
    """Whether it is part of a run and not of its model: the step, a moment, a dropout seed."""
    return (
        name == GLOBAL_STEP
        or name.startswith(DROPOUT_SEED)
        or name.rpartition("/")[2] in ADAM_SLOTS
    )


def weight_of_state(name: str) -> str:
    """The weight that a moment belongs to; of any other name the name itself."""
    weight, _, last = name.rpartition("/")
    return weight if last in ADAM_SLOTS else name
