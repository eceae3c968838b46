"""Fetching a site's pages in a process of its own.

`messages` defines what parent and child send to each other. `process` starts the child and yields its events. All other modules run in
the child, except those that the parent uses for lists of addresses (`sources`, `scope`). Nothing here uses Django: the parent has the
frontier's rows, the storage of pages and the rules.
"""
