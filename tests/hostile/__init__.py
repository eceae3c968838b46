"""A corpus of small bad inputs, made here, each with its right outcome. docs/security.md says what it covers.

`bad_pages`, `bad_archives`, `bad_rules` and `bad_texts` make the inputs; the tests beside them say what becomes of each. What a fuzzer
finds (`tests/fuzz`) is added here.
"""
