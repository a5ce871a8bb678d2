"""Learning a vocabulary, against the trainer of the Rust `tokenizers`.

Claim    On the same text, tfrecord_tools.learn_vocabulary takes no longer than the Rust trainer
         with its own normalizer, gives the same file in each run, and needs as many tokens for a
         word within 2 %.
Cost     A minute on 2 quiet cores for 11 MB of English Wikipedia.
Command  python -m experiments.vocabulary_learning --input_file='wikipedia/*.txt'
Found    experiments/results/vocabulary_learning.json, and what is printed.

Both run as programs of their own, in turn, and the fastest run of each counts.
"""

import dataclasses
import json
import sys
import tempfile
from pathlib import Path

from bert_keras import flags
from bert_keras.file_patterns import expand_input_files
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from experiments import machine

RESULTS = Path(__file__).parent / "results" / "vocabulary_learning.json"
RUST = """
import sys
from tokenizers import BertWordPieceTokenizer
folder, vocab_size, *files = sys.argv[1:]
tokenizer = BertWordPieceTokenizer(lowercase=True)
tokenizer.train(files, vocab_size=int(vocab_size), min_frequency=2, show_progress=False)
tokenizer.save_model(folder)
"""


@dataclasses.dataclass(frozen=True)
class Settings:
    input_file: list[str] = flags.required("Text files: paths or globs, separated by commas.")
    vocab_size: int = flags.setting(8000, "Lines of both vocabularies.")
    num_runs: int = flags.setting(3, "Runs of each; the fastest counts.", minimum=1)
    output_file: str = flags.setting(str(RESULTS), "Where the figures go, as JSON.")


def main(settings: Settings) -> None:
    files = expand_input_files(settings.input_file)
    runs: dict[str, list[machine.Run]] = {"ours": [], "rust": []}
    vocabularies: dict[str, list[bytes]] = {"ours": [], "rust": []}
    results = {"machine": machine.describe(), "vocab_size": settings.vocab_size}
    with tempfile.TemporaryDirectory() as folder:
        vocab_file = Path(folder) / "vocab.txt"
        commands = _commands(files, settings.vocab_size, vocab_file)
        for _ in range(settings.num_runs):
            for name, command in commands.items():
                runs[name].append(machine.run(command))
                vocabularies[name].append(vocab_file.read_bytes())
        for name in runs:
            vocab_file.write_bytes(vocabularies[name][0])
            results[name] = {
                "seconds": min(run.seconds for run in runs[name]),
                "processor_seconds": min(run.processor_seconds for run in runs[name]),
                "num_different_vocabularies": len(set(vocabularies[name])),
                "tokens_per_word": tokens_per_word(files, vocab_file),
            }
    for figure in ("seconds", "processor_seconds", "tokens_per_word"):
        results[f"{figure}_ours_over_rust"] = results["ours"][figure] / results["rust"][figure]
    print(json.dumps(results, indent=1))
    Path(settings.output_file).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _commands(files: list[str], vocab_size: int, vocab_file: Path) -> dict[str, list[str]]:
    ours = [
        *["-m", "tfrecord_tools.learn_vocabulary", f"--input_file={','.join(files)}"],
        *[f"--output_file={vocab_file}", f"--vocab_size={vocab_size}", "--num_unused=0"],
    ]
    rust = ["-c", RUST, str(vocab_file.parent), str(vocab_size), *files]
    return {"ours": [sys.executable, *ours], "rust": [sys.executable, *rust]}


def tokens_per_word(files: list[str], vocab_file: Path) -> float:
    """Of the text, as the tokenizer of this package splits it."""
    tokenizer = WordPieceTokenizer(vocab_file)
    texts = [Path(path).read_text(encoding="utf-8") for path in files]
    num_tokens = sum(len(tokenizer.tokenize(text)) for text in texts)
    return num_tokens / sum(len(tokenizer.basic.split(text)) for text in texts)


if __name__ == "__main__":
    flags.run(main, Settings)
