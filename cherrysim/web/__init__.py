"""The page at the table: a small server and one hand-written page, for the machine it runs on or for phones.

`answers` turns a question into numbers, `app` says which address answers what, `guard` and `connection`
keep strangers and endless requests out, `work` bounds what is computed at once, `server` listens. `page/` is
what a browser gets, as it stands there.
"""
