"""``python -m extraction.fetching.crawl``: the child that `process.Crawl` starts."""

from extraction.fetching.crawl.child import main

if __name__ == "__main__":
    main()
