"""The laboratory: every method and its peers on pages whose truth is known.

datasets ─▶ Example… ─ peers, methods ─▶ Found ─ metrics ─▶ scores per page ─▶ table, report
"""
