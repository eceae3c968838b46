"""Sites as files: download, dry run and import."""
