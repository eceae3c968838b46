"""Many pages: a database with a million pages and records, made from a seed, to see how quick the dashboard is at that size."""
