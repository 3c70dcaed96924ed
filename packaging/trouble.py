"""What stops the commands and is not a mistake of theirs: told to the user as it stands, without a traceback."""


class Trouble(Exception):  # noqa: N818 - it is no error of the program
    """A sentence that says what is wrong and what helps."""


class Skipped(Exception):  # noqa: N818 - it is no error at all
    """Why something cannot be tried here."""
