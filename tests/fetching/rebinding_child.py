"""A crawling child whose name server says 127.0.0.1 for every name, as one that attacks does once it was believed."""

from ipaddress import ip_address

from extraction.fetching.crawl.child import main

if __name__ == "__main__":
    main(lookup=lambda host, port: [ip_address("127.0.0.1")])
