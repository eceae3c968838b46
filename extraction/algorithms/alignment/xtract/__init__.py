"""XTRACT: a document type from XML pages (Garofalakis, Gionis, Rastogi, Seshadri & Shim, SIGMOD 2000; docs/algorithms.md#xtract).

For each element name, the sequences of its children's names are the input. They are *generalised* (`generalise`: repetitions become
``(ab)*``, and symbols that alternate nearby become ``(a|b)*``) and *factored* (`factor`: ``ac|ad|bc|bd`` becomes ``(a|b)(c|d)``). Of all
candidates, those are chosen that take the fewest bits together with the sequences written by them (`codes`, `choose`). `dtd` makes a
document type of the result.
"""
