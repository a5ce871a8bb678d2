"""Vocabularies, and texts on which engines could differ."""

from bert_keras.tokenizers import unicode_14

VOCABULARIES = ["uncased", "cased", "multilingual-cased", "chinese"]
# Unassigned in Unicode 14; later versions have letters, marks and decompositions in them.
LATER_BLOCKS = [block for block in unicode_14.UNASSIGNED if 0x10000 <= block[0] < 0x1F000]

# Where rules meet: sigmas and what stands beside them, marks of several classes and such as take
# space, spaces, controls, what decomposes, letters that grow, signs, unassigned characters.
DIFFICULT = [
    *"aB1ΑΣσςİıßé한東タﬁ½ \t\n\r\x00\x01\x0b\x85\xa0\xad.,'#[]$^`~\u2028\u200b\ufffd\ufeff"
]
DIFFICULT += [*"\u0301\u0323\u0327\u0345\u0e31\u302e\u1b44\u1fef\u212a\ufade\U0002b820\U0002ceb0"]
DIFFICULT += [*"\U0001d165\U0001d16d\U0001f6a2\U00010400\U000e0001\U0001e4ec\U0001df2b\U000105c9"]
DIFFICULT += [
    *"\u0344\u0f73\u0f75\u0f81\u0cca\u0ccb\u0958\u0dde\U0001d15e\U0001d160\ufb2c\u1ec7각ʰ"
]

SENTENCES = [
    "The quick brown fox -- it's \u201cjumping\u201d over 3,141 lazy dogs\u2026",
    "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.",
    "Ο ΠΑΛΙΟΣ ΦΙΛΟΣ ΤΟΥ ΟΔΥΣΣΕΑ ἦλθεν.",
    "Ёжик и йод, объявление № 5",
    "İstanbul'da ışıklar söndü; Iğdır'da yandı.",
    "東京タワーは333メートルです。",
    "我们在北京大学学习自然语言处理。",
    "한국어 문장을 나눕니다.",
    "สวัสดีครับ ผมชื่อสมชาย",
    "हिन्दी में यह एक वाक्य है।",
    "هذا نصٌّ عربيٌّ قصير، أليس كذلك؟",
    "Tiếng Việt có nhiều dấu thanh.",
]
