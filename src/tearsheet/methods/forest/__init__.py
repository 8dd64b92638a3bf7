"""The default engine: trees over all the evidence, in two passes, then one choice for the page.

It unites the papers: evidence of segments and their containers (Kohlschütter et al. 2010; Wu et al.
2015, "CLG"), learning first and grouping after (CLG), a global optimum over the page's sequence
(Pasternack & Roth 2009; Fan et al. 2011), class names and containers (Readability).

1. `page_chrome` sets aside what the page itself calls menu, footer, dialog or cookie banner.
2. `containers` finds the elements around each segment that hold more text than the one below.
3. `evidence` and `vocabulary` fill the columns of the first pass, as `columns` declares them.
4. `page_type` finds the type of the page: article, forum, product …
5. `trees` gives each segment a score, from its own evidence: the first pass.
6. `context_features` adds what the first pass found around each segment; the second pass scores
   again (`passes` has both).
7. `choice` evens scores out among segments of the same make: posts of a thread, cards of a listing.
8. A score is the expected share of content among a segment's words, so the expected F1 of any
   choice is known; `choice` keeps the best one, without doubles, hidden copies and buttons.
9. `engine` makes the verdict: its confidence is the expectation, calibrated on unseen pages.
10. `roles` says what each segment is (title, comment, related …), from weights of words and values;
   what surely is no text of an article is left out.
11. `explanation` says why, in the words of `columns`; `model` refuses a file of other columns.

The loops are in `tearsheet._core`; `tearsheet train forest` makes the parameters (`learn/forest`).
"""

from tearsheet.methods.forest.engine import score

__all__ = ["READS_DATA", "SEES_HIDDEN", "score"]

SEES_HIDDEN = True
READS_DATA = True
