"""Raw text -> vocabulary and TFRecords of masked examples. Needs no Keras and no GPU.

The four programs, each with its manual in --help:

learn_vocabulary               text -> vocabulary, or new words for one
create_pretraining_data        text -> records, on this machine: reads the flags, picks the builder
create_pretraining_data_beam   text -> records, by Apache Beam
show_records                   records as a person reads them, counted, or audited

The rooms:

corpus         any readable corpus -> documents of sentences
vocabulary     corpus -> counted words, and what a vocabulary covers of them
single_stream  documents -> records, by the original's algorithm, byte for byte
bucketed       documents -> records by hash buckets, the same for any number of workers
audit          records -> broken rules, statistics, repetitions

The hall, which all rooms share:

record_settings       the flags that say what records hold
counts, summary       what a run made, counted, and how it is shown
outputs               names of output files, and the summary beside them
progress, workers     how far a long step is; several processes, results in order
wire_format, frames   writes Examples and TFRecord files, without TensorFlow
records               reads both, by TensorFlow

A room imports the hall and corpus, and no other room.
"""
