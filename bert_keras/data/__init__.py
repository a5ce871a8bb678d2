"""From TFRecords to batches of features."""
