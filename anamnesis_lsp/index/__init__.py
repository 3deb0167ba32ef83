"""index: our catalog of conversation stores and decision records. A cue that says where to look, never evidence.

Promises: incremental by (identity, size, mtime); one receipt per record it captured; nothing of a record's text beyond
tokens, hashes and titles; lies under our cache only. May not be imported by ``present``: nothing shown comes from here.
"""
