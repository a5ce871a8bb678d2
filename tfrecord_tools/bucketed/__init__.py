"""Records by hash buckets of documents: the same ones for any number of workers."""
