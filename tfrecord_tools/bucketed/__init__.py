"""Records by hash buckets of documents: the same ones for any number of workers.

reading            blocks of the corpus -> tokenized documents, by their keys, in files
  tokenization     sentences -> ids, and whether each starts a word
  documents        documents as columns of numbers, in memory and in files
rounds             documents of a bucket -> its records of a round, in random order
  pairing          documents -> rows of texts
  assembly         rows of texts -> padded arrays
  masking          arrays -> arrays with masks
  serialization    arrays -> records
shards             rounds -> shards
creation           all of it, by processes on this machine; what is finished lies in a work_folder
beam_pipeline      all of it, by Apache Beam
"""
