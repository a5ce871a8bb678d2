"""A pretrained model learns a task: one more layer, all weights trained (paper, section 3.2).

program, job: what every program does, from its flags to its results
settings: the flags that all programs share
classification, tagging, question_answering, multiple_choice: what one of them reads and scores
classification_data, encoding, glue_submission: files of classes, and their examples as ids
assignment, setup: what is learned; what several runs of it share
run, run_model: one run in its folder; the model that it starts from and keeps
recipe, early_stopping: schedule, optimizer and frozen layers; which weights are kept
seeds, sweep, comparison: several runs, and which of them is best
answer_files, markdown: predictions and tables as files
"""
