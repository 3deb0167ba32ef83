"""The history of a range of lines: who changed it, back to where it appears, and what each step was.

Door: :func:`history`. It goes on where ``git log -L`` stops: through renamed files, moves between files, functions that were
renamed, split or rewritten under the same signature, merges (the side on which the change was made) and deletions that were
undone. It reads git objects only, and nothing of the working tree.
"""
