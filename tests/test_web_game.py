"""Game mode's server: a game tapped in is the record it came from, its advice that of `ask --table`."""

import asyncio
import http.client
import json
import re
import select
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from page_server import Server, running

from cherrysim.behind import Groups
from cherrysim.flowers import Refused
from cherrysim.policy import parse
from cherrysim.recordfile import read_record
from cherrysim.records import Record, replay
from cherrysim.rules import Rules
from cherrysim.web import game, gameapp
from cherrysim.web.relay import MOST_FOLLOWERS, Relay
from cherrysim.web.server import code_picture
from cherrysim.web.work import Gone, Work
from cherrysim.web.writing import begun, ready, written

NAMES = ["Ann", "Ben B", 'Zoë, "Z"']
START = "cherrysim record 1\nplayers Ann, Ben\ncards {}\n1. Ann:"


@cache
def played(players: int = 3, cards: str = "blue", seed: int = 0) -> Record:
    from cherrysim.simulate.logs import record

    rules = Rules.official(players, cards)
    found = record([parse("learned")] * players, seed, 0, rules, NAMES[:players])
    ways = [len(Groups.of(seat.all_behind).splits(rules)) for seat in replay(found).seats]
    splits = [split if n > 1 else None for split, n in zip(found.splits or (), ways, strict=True)]
    return replace(found, seed=None, splits=tuple(splits) if any(splits) else None)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as found:
        yield found


def flowers_to_tap(found: dict[str, Any], text: str, goal: str) -> str:
    """What the page's text becomes when the next letter of the goal is tapped, or a draw ended."""
    head, _, line = text.rpartition("\n")
    aim = goal.split("\n")[head.count("\n") + 1]
    following = aim[len(line) :]
    if following.startswith(" | "):
        assert found["may_end_draw"]
        return f"{text} |"
    assert found["taps"], (line, aim)
    letter = following.lstrip()[0]
    assert found["bag"]["PYLDWB".index(letter)] > 0
    return text + (letter if re.search("[PYLDWB]$", line) and following[0] != " " else f" {letter}")


def tapped_in(record: Record, after_each: Any = lambda text: None) -> str:
    """A record entered as the page enters it: letter by letter, everything else from what can be chosen."""
    goal = str(record).rstrip("\n")
    text = begun(list(record.names), ",".join(record.rules.cards) or "none")
    for _ in range(5000):
        if text == goal:
            return text
        after_each(text)
        found = game.moment(text)
        at = text.count("\n")
        wanted = goal.split("\n")
        offered = [choice for choice in found["choices"] if leads(choice["lines"], wanted[at:])]
        if placing := PLACING.match(wanted[at]):
            drew = f"{placing[1]} drew"
            if (
                wanted[at].startswith(placing[1])
                and text.split("\n")[at] == placing[1].rpartition(" card")[0]
            ):
                offered = [choice for choice in found["choices"] if choice["lines"] == drew]
            elif text.split("\n")[at].startswith(drew) and found["awaited"]:
                letters = re.findall("([PYLDWB]) (?:front|behind|to)", placing[2])
                text += (" " if found["told"] == "" else "") + letters[len(found["told"])]
                continue
        if offered:
            best = max(offered, key=lambda choice: len(choice["lines"]))
            text = text.rpartition("\n")[0] + "\n" + best["lines"]
        else:
            text = flowers_to_tap(found, text, goal)
    raise AssertionError(text)


PLACING = re.compile("(.*-> card kenrokuen_kumagai) ([^;]*)")


def leads(lines: str, wanted: list[str]) -> bool:
    """Whether these lines are those that are wanted, the last perhaps only begun."""
    given = lines.split("\n")
    return given[:-1] == wanted[: len(given) - 1] and len(given) <= len(wanted) and begins(
        given[-1], wanted[len(given) - 1]
    )  # fmt: skip


def begins(line: str, wanted: str) -> bool:
    follow = wanted[len(line) :]
    return wanted.startswith(line) and (
        not follow or line[-1] in ":> " or follow[0] in "; " or line.endswith("drew")
    )


@pytest.mark.parametrize(("players", "cards"), [(3, "pink"), pytest.param(2, "blue", marks=pytest.mark.slow)])
def test_a_whole_game_can_be_tapped_in_from_its_record(players: int, cards: str) -> None:
    record = played(players, cards)
    text = tapped_in(record)
    assert read_record(text) == record
    found = game.moment(text)
    assert found["phase"] == "end"
    assert found["score"] == replay(record).score().to_json()
    assert all(card in text.partition("1. Ann")[2] for card in record.rules.cards), "a card is never used"


def test_half_written_lines_say_what_is_awaited() -> None:
    text = START.format("pink") + " PYLD -> card komatsu_otome drew P"
    found = game.moment(text)
    assert (found["awaited"], found["told"], found["taps"], found["choices"]) == (2, "P", 2, [])
    assert game.moment(text + "YB")["phase"] == "bonus"
    found = game.moment(START.format("none") + " PPYYLLDDW")
    assert (found["phase"], found["taps"]) == ("over", 0)
    assert found["choices"][0]["lines"] == "1. Ann: PPYYLLDDW -> over\n2. Ben:"
    assert game.moment(START.format("none") + " PYY |")["may_end_draw"] is False
    assert game.moment(START.format("none") + " P | Y | L |")["taps"] == 0
    assert game.moment(START.format("none") + " P | Y | L")["taps"] == 6


def test_a_secret_flower_is_entered_unseen_and_shown_at_the_end() -> None:
    text = START.format("blue") + " PPYY ->"
    lines = [
        choice["lines"] for choice in game.moment(text)["choices"] if choice["parts"][-1] == {"drawn": "?"}
    ]
    found = game.moment(text.rpartition("\n")[0] + "\n" + lines[0] + "; hide P\n2. Ben:")
    assert lines == ["1. Ann: PPYY -> card shin_sumizome ?"]
    assert (found["seats"][0]["secret"], found["bag_size"]) == (1, 61)
    rules = "rules counts=P3Y3L1 set_aside=0"
    text = (
        f"cherrysim record 1\nplayers Player B, B\ncards shin_sumizome\n{rules}\n1. Player B: PPYY -> card "
    )
    text += "shin_sumizome ?; hide P\n2. B: PY -> hide none"
    assert game.moment(text)["phase"] == "end"
    text += "\nend"
    assert game.moment(text)["choices"][0]["lines"] == "end\nreveal Player B "
    found = game.moment(f"{text}\nreveal Player B ")
    assert (found["awaited"], found["taps"], found["score"]) == (1, 1, None)
    assert game.moment(f"{text}\nreveal Player B L")["score"]["winners"]


def test_flowers_nobody_watched_are_entered_as_such_and_shown_at_the_end() -> None:
    text = START.format("none") + " PY | L"
    found = game.moment(text)
    assert (found["may_miss"], found["missed"]) == (True, 0)
    found = game.moment(text + "??")
    assert (found["phase"], found["hand"], found["missed"], found["may_miss"]) == ("missed", "PYL", 2, False)
    assert (found["taps"], found["bag_size"], found["bag"][:3]) == (3, 61, [12, 12, 12])
    assert (found["advice"], found["fails"], found["may_end_draw"]) == (False, [], False)
    lines = [choice["lines"] for choice in found["choices"]]
    assert lines == ["1. Ann: PYL?? -> hide ?\n2. Ben:"]
    found = game.moment(text.rpartition("\n")[0] + "\n" + lines[0])
    assert (found["seats"][0]["unseen"], found["seats"][0]["front"][:3]) == (2, [1, 1, 1])
    for none in (" PPP", " PPYYLLDD", " P ->", " PPYYLLDDW"):
        assert not game.moment(START.format("none") + none)["may_miss"]
    rules = "rules counts=P3Y3L2 set_aside=0"
    text = f"cherrysim record 1\nplayers Ann, Ben\ncards none\n{rules}\n1. Ann: PY?? -> hide ?\n2. Ben: PPYY"
    assert game.moment(text + " ->")["phase"] == "display"
    text += " -> hide P\nend"
    assert game.moment(text)["choices"][0]["parts"] == ({"reveal": "Ann", "n": 2},)
    assert game.moment(text)["score"] is None
    found = game.moment(f"{text}\nreveal Ann L")
    assert (found["awaited"], found["bag"]) == (1, [0, 0, 1, 0, 0, 0])
    assert game.moment(f"{text}\nreveal Ann LL")["score"]["winners"]


def test_what_is_no_game_is_refused() -> None:
    for text in ("", "cherrysim record 1", START.format("none") + " PQ", START.format("none") + " PPP | Y"):
        with pytest.raises(Refused):
            game.moment(text)
    for names, cards in ((["Ann"], "none"), (["Ann", "Ann"], "none"), ("Ann", "none"), (["A", "B"], "green")):
        with pytest.raises(Refused):
            begun(names, cards)


def test_a_record_from_elsewhere_is_gone_on_with() -> None:
    record = played()
    assert ready(str(record)) == str(record).rstrip("\n")
    lines = str(record).splitlines()
    assert ready("\n".join(lines[:8])).splitlines()[8].startswith("6. ")


def test_the_instant_layer_is_that_of_ask(server: Server) -> None:
    from cherrysim.layers import estimated

    text = START.format("blue") + " PYY"
    advice = estimated(written(text).table)  # compiled here, the kernels are at hand there
    status, content, _ = server.request("POST", "advice", {"record": text, "layer": "instant"})
    options = json.loads(content)["options"]
    assert status == 200
    assert [option["share"] for option in options] == [choice.share.mean for choice in advice.ranked]
    assert options[0]["parts"] == [{"draw": advice.best.move.n}]  # type: ignore[union-attr]
    assert {option["reach"] for option in options} == {None}
    by_score = estimated(written(text).table, "score")
    asked = {"record": text, "layer": "instant", "value": "score"}
    options = json.loads(server.request("POST", "advice", asked)[1])["options"]
    assert [option["worth"] for option in options] == [choice.score.mean for choice in by_score.ranked]
    for wrong in ({"layer": "deeper"}, {"value": "kept"}, {"layer": 1}):
        assert server.request("POST", "advice", {"record": text} | wrong)[0] == 422


def test_the_curve_goes_from_the_start_to_the_last_finished_turn() -> None:
    from cherrysim.review.decisions import worth

    rules = "rules counts=P3Y3L1 set_aside=0"
    text = f"cherrysim record 1\nplayers Ann, Ben\ncards none\n{rules}\n1. Ann: PPYY -> hide P"
    record = read_record(text)
    start, after = (list(worth(replay(record, turns))) for turns in (0, 1))
    assert game.chances(text, lambda: None) == [start, after]
    assert game.chances(text + "\n2. Ben: PY", lambda: None) == [start, after]
    ended = text + "\n2. Ben: PYL -> hide none\nend"
    assert game.chances(ended, lambda: None)[2:] == [[1.0, 0.0]]
    secret = ended.replace("PPYY -> hide P", "PY?? -> hide ?").replace("PYL ->", "PPY ->")
    assert game.chances(secret, lambda: None)[2:] == [[]]  # nobody's, until all is shown


def test_with_rules_that_make_games_too_long_the_instant_answer_is_all() -> None:
    rules = "rules alike=5 different=6 draws=5 flowers=12"
    text = f"cherrysim record 1\nplayers Ann, Ben\ncards none\n{rules}\n1. Ann: PYL"
    assert game.advised(text, "deep", "win", lambda: None)["method"] == "instant"


def test_what_two_phones_ask_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from cherrysim import layers

    begun: list[object] = []
    monkeypatch.setattr(layers, "played", lambda table, *more: begun.append(table) or layers.estimated(table))
    text = START.format("blue") + " PL"
    first = game.advised(text, "deep", "win", lambda: None)
    assert game.advised(text, "deep", "win", lambda: None) is first
    game.advised(text, "deep", "score", lambda: None)
    game.advised(text + "W", "deep", "win", lambda: None)
    assert len(begun) == 3
    monkeypatch.setattr(game, "MOST_KEPT", 1)
    game.advised(text + "D", "deep", "win", lambda: None)
    game.advised(text, "deep", "win", lambda: None)
    assert len(begun) == 5  # forgotten by then


def test_background_work_ends_when_nobody_waits() -> None:
    begun, ended = threading.Event(), threading.Event()

    def long(stopped: game.Stopped) -> None:
        begun.set()
        try:
            for _ in range(1000):
                stopped()
                time.sleep(0.01)
        finally:
            ended.set()

    async def gone() -> bool:
        return begun.is_set()

    async def asked() -> None:
        with pytest.raises(Gone):
            await Work(1, 1).watched(long, gone)

    asyncio.run(asked())
    assert ended.wait(1)


class Asked:
    """A request as the handlers read it, whose sender leaves once `left` is set."""

    def __init__(self, document: object) -> None:
        self.document, self.left = document, threading.Event()

    async def stream(self) -> Any:
        yield json.dumps(self.document).encode()

    async def is_disconnected(self) -> bool:
        return self.left.is_set()


@pytest.mark.parametrize("handler", ["advice", "chances", "review"])
def test_every_long_answer_ends_when_nobody_waits(handler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, ended = Asked({"record": START.format("none") + " PY", "layer": "deep"}), threading.Event()

    def long(*_: object, **more: Any) -> None:
        asked.left.set()
        stopped = more.get("progress") or _[-1]
        try:
            for _ in range(300):
                stopped(1, 0.5) if more else stopped()
                time.sleep(0.01)
        finally:
            ended.set()

    monkeypatch.setattr(game, "advised", long)
    monkeypatch.setattr(game, "chances", long)
    monkeypatch.setattr("cherrysim.review.review", long)

    async def answered() -> None:
        begun = time.monotonic()
        with pytest.raises(Gone):
            await getattr(gameapp._Games(Work(), None, None), handler)(asked)  # type: ignore[arg-type]
        assert time.monotonic() - begun < 2

    asyncio.run(answered())
    assert ended.wait(1)


def test_the_curve_can_be_stopped_at_every_turn() -> None:
    calls: list[int] = []
    game.chances(START.format("none") + " PYY -> hide Y\n2. Ben: PYY -> hide Y", lambda: calls.append(1))
    assert len(calls) == 3


def test_few_reviews_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cherrysim.review.review", lambda *_, **more: None)
    monkeypatch.setattr("cherrysim.sheets.page.html", lambda found: "a page")
    monkeypatch.setattr(gameapp, "MOST_REVIEWS", 2)

    async def many() -> int:
        games = gameapp._Games(Work(), None, None)  # type: ignore[arg-type]
        for _ in range(5):
            await games.review(Asked({"record": START.format("none") + " PY"}))  # type: ignore[arg-type]
        return len(games.reviews)

    assert asyncio.run(many()) == 2


def test_a_code_is_drawn_of_games_that_phones_can_reach(server: Server, tmp_path: Any) -> None:
    assert server.request("GET", "join.svg?game=abcdefgh")[0] == 404
    asked = SimpleNamespace(query_params={"game": "abcdefgh"})
    games = gameapp._Games(Work(), "http://192.0.2.7/token/", None)  # type: ignore[arg-type]
    assert asyncio.run(games.code(asked)).body == code_picture(  # type: ignore[arg-type]
        "http://192.0.2.7/token/game.html#join=abcdefgh"
    )
    for wrong in ("", "short", "a" * 33, "abcdefgh/..", "<abcdefg>"):
        asked.query_params["game"] = wrong
        assert asyncio.run(games.code(asked)).status_code == 404  # type: ignore[arg-type]


def test_the_deep_layer_stops_when_the_question_changes() -> None:
    def stopped() -> None:
        raise Gone

    text = str(played()).split("\nend")[0].rsplit("\n", 12)[0] + "\n"
    with pytest.raises(Gone):
        game.advised(ready(text), "deep", "win", stopped)


def test_of_two_histories_the_longer_wins_and_others_are_a_fork() -> None:
    async def played_out() -> None:
        relay = Relay()
        first = {"game": "abcdefgh", "marks": "aaaabbbb", "text": "two"}
        assert await relay.follow(first, 0.01) == {"kind": "same"}
        short = first | {"marks": "aaaa", "text": "one"}
        assert await relay.follow(short, 0.01) == {"kind": "newer", "marks": "aaaabbbb", "text": "two"}
        waiting = asyncio.create_task(relay.follow(first, 5))
        await asyncio.sleep(0.01)
        longer = first | {"marks": "aaaabbbbcccc", "text": "three"}
        assert await relay.follow(longer, 0.01) == {"kind": "same"}
        assert (await waiting)["text"] == "three"
        other = first | {"marks": "aaaadddd", "text": "other"}
        fork = await relay.follow(other, 0.01)
        assert (fork["kind"], fork["text"]) == ("fork", "three")
        assert await relay.follow(other | {"replacing": fork["marks"]}, 0.01) == {"kind": "same"}
        assert (await relay.follow(longer, 0.01))["kind"] == "newer"  # it lost
        assert (await relay.follow(longer | {"marks": "aaaaeeee"}, 0.01))["kind"] == "fork"

    asyncio.run(played_out())


def test_the_relay_keeps_few_games_and_refuses_what_is_none() -> None:
    async def many() -> None:
        relay = Relay()
        for n in range(100):
            await relay.follow({"game": f"game-{n:04}", "marks": "aaaa", "text": "x"}, 0)
        assert len(relay._games) == 32
        relay._followers = MOST_FOLLOWERS
        begun = time.monotonic()
        assert await relay.follow({"game": "abcdefgh", "marks": "aaaa", "text": "x"}) == {"kind": "same"}
        assert time.monotonic() - begun < 5  # one more does not wait
        for wrong in ([], {"game": "x"}, {"game": "abcdefgh", "marks": "a"}, {"game": "abcdefgh", "text": 1}):
            with pytest.raises(Refused):
                await relay.follow(wrong, 0)

    asyncio.run(many())


def test_a_review_may_load_nothing_and_the_doors_are_guarded(server: Server) -> None:
    text = START.format("none") + " PYY -> hide Y\n2. Ben: P"
    status, content, _ = server.request("POST", "review", {"record": text})
    status, page, headers = server.request("GET", json.loads(content)["link"])
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert b"<script" not in page
    assert server.request("GET", "review/none")[0] == 404
    for path in ("game", "advice", "chances", "review", "follow", "begin"):
        assert server.request("POST", path, {}, {"Origin": "http://elsewhere"})[0] == 403
        assert server.request("POST", path, {}, {"Host": "elsewhere"})[0] == 403
        assert server.request("POST", path, "{}", {"Content-Type": "text/plain"})[0] == 415
        assert server.request("POST", path, "x" * 70_000)[0] == 413
        assert server.request("POST", path, {})[0] == 422


def test_what_advice_needs_is_loaded_once_when_game_mode_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    from starlette.responses import Response

    layers: list[str] = []
    monkeypatch.setattr(game, "loaded", layers.append)

    async def page(request: Any) -> Response:
        return Response("the page")

    async def opened() -> None:
        games = gameapp._Games(Work(), None, page)
        assert layers == []
        assert [(await games.opened(None)).body for _ in range(2)] == [b"the page"] * 2  # type: ignore[arg-type]
        assert games.loading
        await games.loading

    asyncio.run(opened())
    assert layers == ["instant", "deep"]


@pytest.mark.slow
def test_the_first_tap_waits_for_nothing_once_the_page_has_been_open_for_a_while() -> None:
    from cherrysim.web.game import loaded

    loaded("instant")  # compiled here, the servers only load
    loaded("deep")
    took = []
    for open_for in (0, 6):
        with running() as fresh:
            if open_for:
                fresh.request("GET", "game.html")
                time.sleep(open_for)
            begun = time.monotonic()
            fresh.request("POST", "advice", {"record": START.format("blue") + " PYY", "layer": "instant"})
            took.append(time.monotonic() - begun)
    print(took)
    assert took[1] < 0.3 < took[0]


TAPS = ("", " P", " PY", " PYY", " PYY |", " PYY | L", " PYYL ->")
DONE = ("PYY -> hide Y", "PPY | L -> hide P", "PYLD -> hide none", "PPYY -> card shin_sumizome ?; hide P")


def tapped(phone: int, taps: int) -> str:
    """The game of a phone after so many taps, as the page sends it; no two phones have the same."""
    names, turns = ["Ann", f"Ben {phone}", "Cy"], taps // len(TAPS) % 5
    lines = [f"{n + 1}. {names[n % 3]}: {DONE[(phone + taps // 35 + n) % 4]}\n" for n in range(turns)]
    start = f"cherrysim record 1\nplayers {', '.join(names)}\ncards {','.join(played().rules.cards)}\n"
    return f"{start}{''.join(lines)}{turns + 1}. {names[turns % 3]}:{TAPS[taps % len(TAPS)]}"


class Phone:
    """A phone that taps and asks as the page does, what it no longer waits for dropped at the next tap."""

    def __init__(self, server: Server, number: int) -> None:
        self.server, self.number = server, number
        self.took: dict[str, list[float]] = {"the moment": [], "the verdict": []}
        self.wrong: list[object] = []
        self.open: list[http.client.HTTPConnection] = []
        self.deep = 0

    def taps(self, until: float, pause: float) -> None:
        time.sleep(self.number * pause / 20)
        for tap in range(self.number, 10**6):
            if time.monotonic() > until:
                return self.drop()
            try:
                self.drop()
                self.tap(tapped(self.number, tap))
            except OSError as error:
                self.wrong.append(error)
            time.sleep(pause)

    def tap(self, text: str) -> None:
        begun = time.monotonic()
        self.answer(self.ask("game", record=text))
        self.took["the moment"].append(time.monotonic() - begun)
        self.open.append(self.ask("chances", record=text))
        self.answer(self.ask("advice", record=text, layer="instant"))
        self.took["the verdict"].append(time.monotonic() - begun)
        self.open.append(self.ask("advice", record=text, layer="deep"))

    def ask(self, path: str, **asked: str) -> http.client.HTTPConnection:
        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        line.request("POST", f"/{path}", json.dumps(asked), {"Content-Type": "application/json"})
        return line

    def answer(self, line: http.client.HTTPConnection) -> None:
        found = line.getresponse()
        content = found.read()
        self.deep += content.startswith(b'{"method":"truncated"')
        self.wrong.extend([(found.status, content[:200])] if found.status != 200 else [])
        line.close()

    def drop(self) -> None:
        for line in self.open:
            if select.select([line.sock], [], [], 0)[0]:
                self.answer(line)
            line.close()
        self.open.clear()


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0.5, 2])
def test_twenty_phones_tapping_for_half_a_minute(server: Server, pause: float) -> None:
    for layer in ("instant", "deep"):
        server.request("POST", "advice", {"record": tapped(99, 0), "layer": layer})
    phones = [Phone(server, n) for n in range(20)]
    until = time.monotonic() + 30
    threads = [threading.Thread(target=phone.taps, args=(until, pause)) for phone in phones]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [phone.wrong for phone in phones if phone.wrong] == []
    for what in ("the moment", "the verdict"):
        took = sorted(one for phone in phones for one in phone.took[what])
        late = took[int(0.95 * len(took))]
        print(f"{what}: {len(took)} taps, median {took[len(took) // 2]:.3f} s, 95 % under {late:.3f} s")
        assert late < 0.5, what
    print(f"{sum(phone.deep for phone in phones)} deep answers in time")
