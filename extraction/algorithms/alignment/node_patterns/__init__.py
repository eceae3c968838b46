"""Node extraction patterns (Reis, Golgher, da Silva & Laender, WWW 2004; `002_…` §1.8.4; ALGORITHMS 10).

A pattern is a tree like those of pages, in which some leaves are wildcards. It is generalised over the pages of a cluster: each page is
mapped to the pattern so far by a restricted top-down mapping, and where the two differ stands a wildcard from then on (`generalise`).
Matched with a page, the pattern says what stands at its wildcards (`patterns.match`); on news sites the title and the body are told
from that (`news`).

    pages     <p>Title: <b>A</b> by Ada</p>   <p>Title: <b>B</b></p>
    pattern   p[ "Title:" b[ . ] ? ]

    .  one subtree     ?  one or none     +  one or more siblings     *  any number of siblings
"""

from extraction.algorithms.alignment.node_patterns.patterns import Match, Pattern, generalise, match

__all__ = ["Match", "Pattern", "generalise", "match"]
