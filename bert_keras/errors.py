"""The one error that means: what was given cannot work."""


class InputError(ValueError):
    """A value from outside (flag, file, configuration, tensor) breaks a rule.

    The message states the rule, what was received, and the way out. Programs print it as one line
    and exit with status 1; every other exception is a fault of the code and keeps its traceback.
    """
