"""Small named builders of fixtures: repositories, transcripts, records. A test states only what matters to it."""
