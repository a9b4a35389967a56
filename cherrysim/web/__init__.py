"""The page at the table: a small server and one hand-written page, for the machine it runs on or for phones.

`answers` turns a question about a turn into numbers, `game` one about a whole game, whose half-written text
`writing` reads; `app` and `gameapp` say which address answers what, `relay` lets phones follow one game.
`guard`, `connection` and `reading` keep strangers and endless requests out, `work` bounds what is computed at
once, `server` listens. `page/` is what a browser gets, as it stands there.
"""
