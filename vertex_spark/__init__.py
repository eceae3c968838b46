"""Vertex on Apache Spark: extract records by a site's bundle, and find templates, over more pages than one machine reads (docs/spark.md).

Nothing here needs Django or a database.
"""
