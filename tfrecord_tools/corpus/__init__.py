"""Any readable corpus -> documents of sentences.

settings            the flags, the same for every program that reads text
compression         files as they lie on the disk -> bytes of text
blocks              files -> blocks of whole documents (parent process)
tfds                a data set of TensorFlow Datasets -> blocks
decoding            bytes -> text, and bytes that are not UTF-8
formats/            how documents lie in a file, one file a format
sentence_splitting  running text -> sentences
documents           blocks -> documents of sentences (workers)
"""
