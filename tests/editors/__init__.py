"""Checks in real editors, and what they share. Installed and run by ``.ci/editors``."""
