"""A module per command: ``run(options)`` does it and returns the exit code. Imported when the command runs."""
