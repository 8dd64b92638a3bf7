"""`tearsheet label`: a person says which role each segment of a saved page plays, by keyboard.

folder ─ session ─▶ the page as drawn, its segments, proposed roles ─ server ─▶ a browser
                                                                         │
                    paths and roles only (`role_labels`) ◀───────────────┘
"""
