"""The costs of Tearsheet, as ratios to others in the same run: `make bench`.

pages ─▶ speed (parse, extract, import) ─▶ growth (size, depth, width) ─▶ memory ─▶ PASS or FAIL
"""
