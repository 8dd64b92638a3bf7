"""The laboratory: runs all methods and other extractors on pages whose truth is known.

datasets ─▶ Example… ─ peers, methods ─▶ Found ─ metrics ─▶ scores per page ─▶ table, report
"""
