"""A site's live rules as one file with all that reading its pages needs, so that other programs make the same records."""
