"""present: rounds and records as text. Pure; escapes everything that comes from a record.

Promises: no link, image, HTML, control or bidi character of a record reaches a client live; secrets are masked. May not
import ``index``: nothing shown comes from the cue.
"""
