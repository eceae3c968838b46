"""A site as a folder of files: written, read, compared with the installation, and merged into it (docs/site-files.md)."""
