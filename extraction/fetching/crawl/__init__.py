"""Fetching a site's pages in a process of its own.

`messages` is what parent and child say to each other, `process` starts the child and hands out its events; every other
module runs in the child only. Nothing here knows Django: the frontier's rows, the pages' storage and the rules are the
parent's. The parent imports neither Scrapy nor Twisted.
"""
