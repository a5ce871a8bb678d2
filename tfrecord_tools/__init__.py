"""Raw text -> TFRecords of masked examples. Needs no Keras and no GPU.

The middle is pure, its ends are thin: `corpus` (files -> documents of token ids), `instances` and
`static_masking` (documents and a random generator -> masked pairs), `records` (pairs -> bytes),
`outputs` (bytes -> files); `creation` joins them. Programs: `create_pretraining_data`,
`show_records`.
"""
