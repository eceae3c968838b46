"""XTRACT: a document type from XML pages (Garofalakis, Gionis, Rastogi, Seshadri & Shim, SIGMOD 2000; `002_…` §1.8.2).

For each element name, the sequences of its children's names are an input. They are *generalised* (`generalise`: repetitions become
``(ab)*``, symbols that alternate nearby ``(a|b)*``), *factored* (`factor`: ``ac|ad|bc|bd`` is ``(a|b)(c|d)``), and of all candidates those
are chosen that with the sequences written by them take the fewest bits (`codes`, `choose`). `dtd` makes a document type of it.
"""
