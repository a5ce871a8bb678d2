"""Tasks: the text before a model and the score after it. They know no model, no TensorFlow."""
