"""Records as files: one module per format, all from the same typed rows."""
