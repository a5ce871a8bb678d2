"""The yardstick of the data-creation benchmark: the same step in plain, unhurried Python.

It says in the order of the algorithm (create_pretraining_data.py and tokenization.py of
google-research/bert; Devlin et al. 2018, section 3.1 and appendix A.1) what
tfrecord_tools.create_pretraining_data does fast, and draws the same random numbers: both write
the same records, which a test checks. Tokens stay strings, nothing is remembered between
sentences, lists are shuffled by `random`. Nothing but the benchmark and that test uses it.
"""

import random
import unicodedata

import tensorflow as tf

MAX_CHARACTERS_PER_WORD = 200
CJK_BLOCKS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def create_pretraining_data(settings) -> int:
    """Writes the records of `tfrecord_tools.create_pretraining_data.Settings`; returns how many.

    `input_file` and `output_file` are lists of plain paths here.
    """
    vocabulary = read_vocabulary(settings.vocab_file)
    rng = random.Random(settings.random_seed)
    documents = read_documents(settings.input_file, vocabulary, settings.do_lower_case)
    rng.shuffle(documents)
    instances = []
    for _ in range(settings.dupe_factor):
        for index in range(len(documents)):
            instances += document_instances(documents, index, list(vocabulary), settings, rng)
    rng.shuffle(instances)
    writers = [tf.io.TFRecordWriter(path) for path in settings.output_file]
    for number, instance in enumerate(instances):
        example = to_example(instance, vocabulary, settings)
        writers[number % len(writers)].write(example.SerializeToString())
    for writer in writers:
        writer.close()
    return len(instances)


def read_vocabulary(path: str) -> dict[str, int]:
    """Token -> id, the number of its line."""
    with open(path, encoding="utf-8", newline="\n") as file:
        return {line.strip(): index for index, line in enumerate(file)}


def read_documents(paths, vocabulary, do_lower_case: bool) -> list[list[list[str]]]:
    """Documents of sentences of tokens; an empty line ends a document, a file does not."""
    documents = [[]]
    for path in paths:
        with open(path, encoding="utf-8", newline="\n") as file:
            for line in file:
                line = line.replace("\r", "").strip()
                if not line:
                    documents.append([])
                tokens = tokenize(line, vocabulary, do_lower_case)
                if tokens:
                    documents[-1].append(tokens)
    return [document for document in documents if document]


def tokenize(text: str, vocabulary, do_lower_case: bool) -> list[str]:
    """Text -> WordPieces."""
    tokens = []
    for word in split_words(text, do_lower_case):
        tokens += longest_pieces(word, vocabulary)
    return tokens


def split_words(text: str, do_lower_case: bool) -> list[str]:
    """Text -> words and punctuation marks, cleaned, in lower case and without accents if asked."""
    cleaned = ""
    for character in text:
        if character in "\0\ufffd" or is_control(character):
            continue
        if is_cjk(character):
            cleaned += f" {character} "
        else:
            cleaned += " " if is_space(character) else character
    words = []
    for word in cleaned.split():
        if do_lower_case:
            word = unicodedata.normalize("NFD", word.lower())
            word = "".join(c for c in word if unicodedata.category(c) != "Mn")
        words += "".join(f" {c} " if is_punctuation(c) else c for c in word).split()
    return words


def longest_pieces(word: str, vocabulary) -> list[str]:
    """The longest piece of the vocabulary from the left, again and again, or [UNK]."""
    if len(word) > MAX_CHARACTERS_PER_WORD:
        return ["[UNK]"]
    pieces = []
    start = 0
    while start < len(word):
        end = len(word)
        while end > start:
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary:
                break
            end -= 1
        else:
            return ["[UNK]"]
        pieces.append(piece)
        start = end
    return pieces


def is_space(character: str) -> bool:
    return character in " \t\n\r" or unicodedata.category(character) == "Zs"


def is_control(character: str) -> bool:
    return character not in "\t\n\r" and unicodedata.category(character) in ("Cc", "Cf")


def is_punctuation(character: str) -> bool:
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character).startswith("P")


def is_cjk(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in CJK_BLOCKS)


def document_instances(documents, document_index, words, settings, rng) -> list[dict]:
    """Cuts one document into pairs of texts; every second b comes from another document."""
    document = documents[document_index]
    max_num_tokens = settings.max_seq_length - 3  # [CLS], [SEP], [SEP]
    target = max_num_tokens
    if rng.random() < settings.short_seq_prob:
        target = rng.randint(2, max_num_tokens)
    instances = []
    chunk = []
    i = 0
    while i < len(document):
        chunk.append(document[i])
        if i == len(document) - 1 or sum(map(len, chunk)) >= target:
            a_end = rng.randint(1, len(chunk) - 1) if len(chunk) > 1 else 1
            tokens_a = sum(chunk[:a_end], [])
            is_random_next = len(chunk) == 1 or rng.random() < 0.5
            if is_random_next:
                tokens_b = random_text(documents, document_index, target - len(tokens_a), rng)
                i -= len(chunk) - a_end  # the sentences that were not used come again
            else:
                tokens_b = sum(chunk[a_end:], [])
            truncate(tokens_a, tokens_b, max_num_tokens, rng)
            tokens = ["[CLS]", *tokens_a, "[SEP]", *tokens_b, "[SEP]"]
            instance = mask(tokens, words, settings, rng)
            instance["segment_ids"] = [0] * (len(tokens_a) + 2) + [1] * (len(tokens_b) + 1)
            instance["is_random_next"] = is_random_next
            instances.append(instance)
            chunk = []
        i += 1
    return instances


def random_text(documents, document_index, target, rng) -> list[str]:
    """Sentences from a random place of another document, about `target` tokens long."""
    for _ in range(10):
        other_index = rng.randint(0, len(documents) - 1)
        if other_index != document_index:
            break
    other = documents[other_index]
    tokens = []
    for sentence in other[rng.randint(0, len(other) - 1) :]:
        tokens += sentence
        if len(tokens) >= target:
            break
    return tokens


def truncate(tokens_a, tokens_b, max_num_tokens, rng) -> None:
    """Takes tokens off the longer text, at a random end each time."""
    while len(tokens_a) + len(tokens_b) > max_num_tokens:
        longer = tokens_a if len(tokens_a) > len(tokens_b) else tokens_b
        if rng.random() < 0.5:
            del longer[0]
        else:
            longer.pop()


def mask(tokens, words, settings, rng) -> dict:
    """Hides some tokens: 80 % become [MASK], 10 % stay, 10 % become a random one."""
    candidates = []
    for position, token in enumerate(tokens):
        if token in ("[CLS]", "[SEP]"):
            continue
        if settings.do_whole_word_mask and candidates and token.startswith("##"):
            candidates[-1].append(position)
        else:
            candidates.append([position])
    rng.shuffle(candidates)
    limit = max(1, round(len(tokens) * settings.masked_lm_prob))
    limit = min(settings.max_predictions_per_seq, limit)
    masked = list(tokens)
    positions = []
    for candidate in candidates:
        if len(positions) + len(candidate) > limit:
            continue
        for position in candidate:
            if rng.random() < 0.8:
                masked[position] = "[MASK]"
            elif rng.random() >= 0.5:
                masked[position] = words[rng.randint(0, len(words) - 1)]
            positions.append(position)
    positions.sort()
    return {"tokens": masked, "positions": positions, "labels": [tokens[p] for p in positions]}


def to_example(instance, vocabulary, settings) -> tf.train.Example:
    """Instance -> record, padded with zeros."""
    length, num_predictions = settings.max_seq_length, settings.max_predictions_per_seq
    weights = [1.0] * len(instance["positions"])
    label = int(instance["is_random_next"])
    features = {
        "input_ids": integers([vocabulary[token] for token in instance["tokens"]], length),
        "input_mask": integers([1] * len(instance["tokens"]), length),
        "segment_ids": integers(instance["segment_ids"], length),
        "masked_lm_positions": integers(instance["positions"], num_predictions),
        "masked_lm_ids": integers([vocabulary[t] for t in instance["labels"]], num_predictions),
        "masked_lm_weights": floats(weights, num_predictions),
        "next_sentence_labels": integers([label], 1),
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


def integers(values, length) -> tf.train.Feature:
    padded = values + [0] * (length - len(values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=padded))


def floats(values, length) -> tf.train.Feature:
    padded = values + [0.0] * (length - len(values))
    return tf.train.Feature(float_list=tf.train.FloatList(value=padded))
