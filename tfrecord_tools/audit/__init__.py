"""Looks through a whole set of records: is it right, what is in it, does it repeat itself.

`auditing.audit` streams the files once: serialized records -> arrays (`parsing`) -> the rules that
every record must keep (`invariants`) -> the text before masking (`restoration`) -> measures. What
breaks a rule goes to `problems`, and a record that does is left out of the measures. A measure is
a class that takes batch after batch and has the same methods:

    add(batch, text)    counts a batch of sound records
    values()            the numbers, for a program: {name: number or histogram}
    lines(values)       what the report says of them: [(name, sentence)]
    findings(values)    what a person should look at, though no rule is broken

Memory does not grow with the set: measures are counts, or samples with a limit.
Letters of shapes: B records of a batch, T positions, P predictions, V vocabulary.
"""
