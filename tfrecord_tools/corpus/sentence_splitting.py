"""Running text -> sentences, by sentencex: Wikimedia's rule-based splitter.

It is light (one 4 MB wheel without dependencies), fast and multilingual. Six splitters were
compared on one core, by the boundaries that they find in UD English EWT (dev, whole paragraphs) and
on 1 MB of Wikipedia:

    splitter    F1     MB/s    notes
    sentencex   0.873  93      about 300 languages, 4 MB wheel, released this year
    nupunkt     0.889   8.5    English
    segtok      0.878   2.7    three languages; followed by syntok
    pysbd       0.853   0.2    22 languages; last release 2021
    blingfire   0.848  14      99 MB; last release 2021
    syntok      0.846   1.1    three languages; last release 2022

Where a language has no rules of its own, it splits by those of a related one or by English ones,
which know the full stops of all scripts. Thai, Lao, Khmer and Tibetan do not mark sentences by full
stops: their paragraphs stay whole, unless the text has a sentence a line (`--keep_lines`).
"""

import re
from collections.abc import Iterable, Iterator

import sentencex

from bert_keras.errors import InputError

# sentencex takes English rules for a code that it does not know, in silence. These are the codes of
# ISO 639-1, then those of three letters that Wikipedias have and sentencex knows.
_CODES = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln
lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa
pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg
th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
aae abs ace acm ady aeb aln als alt ami anp apc arn arq ary arz ast atj avk awa azb ban bar bat
bbc bcc bci bdr bew bgn bho bjn blk bpy bqi btm bug bxr cbk cdo ckb cpx crh csb dsb dtp dty dua
egl eml ext fit fiu fon frc frp frr fur gag gan gcf gcr gld glk gom gor gsw guc hak hif hke hrx
hsb hsn hyw iba ike inh jut kaa kab kbd kbp kea kge khw kiu kjh kjp knc koi krc krl ksh ksw kum
lad lbe lez lij liv ljp lki lld lmo lrc ltg lua luz lzh lzz mad mag mai map mdf mhr min mnc mnw
mrj mui mwl myv mzn nah nan nap nds nia nrf nrm nyn nyo olo pcd pdc pdt pfl pms pnt pwn qug rgn
rmy roa rsk rue rup ruq rut sah scn sdc sdh ses sgs shi shy sjd skr sli sma smn srn sro stq sty
szl szy tay tcy tet trv ttj tyv udm vec vep vls vmf vmw vot vro wls wuu xal xmf yue zea
"""
LANGUAGES = frozenset(_CODES.split())
# sentencex looks for the last word before each full stop, back to the last blank. Chinese and
# Japanese have none, so its time grows by the square of a passage's length: 300,000 characters took
# 15 s. Longer passages than these are therefore handed over in portions.
LONG_PASSAGE = 1000  # cut at a full stop of these languages, if there is one
LONGEST_PASSAGE = 100_000  # cut before the last sentence found, in any language
_FULL_STOP = re.compile(r"[。！？](?![。！？」』”’）])")


def check_language(language: str) -> None:
    """Raises InputError for what is no language code; `zh-Hant` counts as `zh`."""
    if language.lower().partition("-")[0] not in LANGUAGES:
        raise InputError(
            f"--language must be a code of ISO 639 such as en, de, zh or pt-br: received "
            f"{language[:40]!r}"
        )


def split_sentences(passages: Iterable[str], language: str) -> list[str]:
    """Returns the sentences of passages; what has no letter or digit, like "* * *", is dropped.

    Args:
      passages: paragraphs; each ends a sentence.
      language: a code for which `check_language` found no fault.
    """
    language = language.lower()
    pieces = (piece for passage in passages for piece in _pieces(passage, language))
    return [piece.strip() for piece in pieces if any(map(str.isalnum, piece))]


def _pieces(passage: str, language: str) -> Iterator[str]:
    """Yields what sentencex finds: sentences and what stands between, together the passage."""
    begin = 0
    while len(passage) - begin > LONG_PASSAGE:
        latest = begin + LONGEST_PASSAGE
        full_stop = _FULL_STOP.search(passage, begin + LONG_PASSAGE, latest)
        if not full_stop and len(passage) <= latest:
            break
        pieces = sentencex.segment(
            language, passage[begin : full_stop.end() if full_stop else latest]
        )
        if not full_stop and len(pieces) > 1:
            pieces.pop()  # it may go on
        yield from pieces
        begin += sum(map(len, pieces))
    yield from sentencex.segment(language, passage[begin:])
