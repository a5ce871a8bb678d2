"""Folders of Google's, of Hugging Face's and ours: config, tokenizer and weights together."""
