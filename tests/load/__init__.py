"""50 editors and 10 operators on loopback while records are extracted: `make load SECONDS_LIMIT=60`."""
