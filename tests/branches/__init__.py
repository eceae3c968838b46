"""Coverage of branches of algorithms and services, package by package, with a floor: `make coverage`."""
