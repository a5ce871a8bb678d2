"""Models: plain functions `config -> keras.Model`, one file a paper or a head."""
