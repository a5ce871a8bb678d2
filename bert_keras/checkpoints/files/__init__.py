"""Files of weights, read safely and written whole: names, shapes, bytes; no model is known."""
