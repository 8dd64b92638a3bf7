"""The laboratory: runs all methods and other extractors on pages whose truth is known.

datasets ─▶ Example… ─ peers, methods ─▶ Extraction ─ metrics ─▶ scores per page ─▶ table, report
"""
