"""What other programs and people read: latest files, the feed of changes, and downloads of changes."""
