"""A crawling child whose name server answers 127.0.0.1 for every name, as an attacker's does after a first, harmless answer."""

from ipaddress import ip_address

from extraction.fetching.crawl.child import main

if __name__ == "__main__":
    main(lookup=lambda host, port: [ip_address("127.0.0.1")])
