"""A simple rule in plain words, English and French: at most eight lines, made from its numbers."""

from __future__ import annotations

import re

from cherrysim.simple import Rule

LANGUAGES = ("en", "fr")
TITLE = {"en": "Cherry Tree: the strategy card", "fr": "Cherry Tree : la carte de stratégie"}
_MINUS, _NO_BREAK = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"


def lines(rule: Rule, language: str = "en") -> list[str]:
    """What the rule says, a line a decision.

    >>> from cherrysim.card import START
    >>> lines(START)[0]
    'First draw: 4 flowers; 2 once 20 or fewer are left in the bag ("late").'
    """
    if language != "fr":
        return _english(rule)
    return [re.sub(r" (?=[;:»])|(?<=«) ", _NO_BREAK, line) for line in _french(rule)]


def _sizes(rule: Rule, draw: str) -> tuple[int, ...]:
    return tuple(getattr(rule, f"{draw}_{n}") for n in range(4))


def _signed(n: int) -> str:
    return f"{_MINUS}{-n}" if n < 0 else str(n)


def _more(n: int) -> str:
    return f"{_MINUS}{-n}" if n < 0 else f"+{n}"


def _late_matters(rule: Rule) -> bool:
    """Whether late in the game anything is different, the number of spoiling colours dared aside."""
    return rule.late > 0 and (
        rule.first != rule.first_late or rule.new != rule.new_late or rule.behind_late != 0 or _dares(rule)
    )


def _dares(rule: Rule) -> bool:
    """Whether a late draw is left that it would make early."""
    return rule.late > 0 and any(
        _sizes(rule, draw)[n] for draw in ("second", "third") for n in range(rule.dared + 1, 4)
    )


def _english(rule: Rule) -> list[str]:
    late = f'{rule.late} or fewer are left in the bag ("late")'
    if rule.first != rule.first_late:
        first = f"First draw: {_flowers(rule.first)}; {rule.first_late} once {late}."
    else:
        first = f"First draw: {_flowers(rule.first)}."
        first += f" It is late once {rule.late} or fewer are left in the bag." if _late_matters(rule) else ""
    stop = f"Stop with {rule.enough} flowers or more"
    if _dares(rule):
        stop += f"; late, stop also with more than {_count(rule.dared, 'spoiling colour')}"
    new = _signed(rule.new)
    if rule.new_late != rule.new and rule.late:
        new += f" (late{_NO_BREAK}{_signed(rule.new_late)})"
    extra = [f"late {_more(rule.behind_late)}"] if rule.behind_late and rule.late else []
    if rule.fewer:
        extra.append(f"{_more(rule.fewer)} a coloured one of the group, warm or cool, that you have fewer of")
    return [
        first,
        "After a draw count the spoiling colours: those of the five of which one more flower would make you "
        "fail.",
        _draws_english(rule),
        f"{stop}.",
        f"Tally. In front: the first flower of a colour {new}, each further one {_signed(rule.more)}, a "
        f"white one {_signed(rule.white)}, a black one {_signed(rule.dark)}. Behind: a coloured flower "
        f"{_signed(rule.coloured)}, a white or black one {_signed(rule.wild)}"
        + (f" ({', '.join(extra)})." if extra else "."),
        "Hide the colour whose flowers gain most, by the tally, by going behind; none if none gains.",
        "After a failure keep the two colours that count most in front; of equals those you have most of.",
        _CARDS_ENGLISH[rule.cards],
    ]


_CARDS_ENGLISH = (
    "Use no card.",
    "Cards, one a turn: Kenrokuen Kumagai, else Shin Sumizome, else Somei Yoshino if it gains; put each "
    "flower where it counts most for you.",
    "Cards, one a turn: Kenrokuen Kumagai, else Somei Yoshino if it gains, else Shin Sumizome; put each "
    "flower where it counts most for you.",
)


def _flowers(n: int) -> str:
    return f"{n} flower" if n == 1 else f"{n} flowers"


def _count(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def _draws_english(rule: Rule) -> str:
    second, third = _draw_english(_sizes(rule, "second")), _draw_english(_sizes(rule, "third"))
    if second == third:
        return f"Second and third draw: {second}."
    return f"Second draw: {second}. Third draw: {third}."


def _draw_english(sizes: tuple[int, ...]) -> str:
    drawn = [f"{size} with {n or 'none'}" for n, size in enumerate(sizes) if size]
    if not drawn:
        return "none"
    return f"{', '.join(drawn)} of them, else stop"


def _french(rule: Rule) -> list[str]:
    late = f"il reste {rule.late} fleurs ou moins dans le sac (« tard »)"
    if rule.first != rule.first_late:
        first = f"Première pioche : {_fleurs(rule.first)} ; {rule.first_late} quand {late}."
    else:
        first = f"Première pioche : {_fleurs(rule.first)}."
        first += f" Il est tard quand {late[: late.index(' (')]}." if _late_matters(rule) else ""
    stop = f"Arrêtez-vous à {rule.enough} fleurs ou plus"
    if _dares(rule):
        plural = "s" if rule.dared > 1 else ""
        stop += f" ; tard, aussi avec plus de {rule.dared} couleur{plural} fatale{plural}"
    new = _signed(rule.new)
    if rule.new_late != rule.new and rule.late:
        new += f" (tard{_NO_BREAK}{_signed(rule.new_late)})"
    extra = [f"tard {_more(rule.behind_late)}"] if rule.behind_late and rule.late else []
    if rule.fewer:
        extra.append(
            f"{_more(rule.fewer)} une de couleur du groupe, chaud ou froid, où vous en avez le moins"
        )
    return [
        first,
        "Après une pioche, comptez les couleurs fatales : parmi les cinq, celles dont une fleur de plus vous "
        "ferait échouer.",
        _draws_french(rule),
        f"{stop}.",
        f"Le compte. Devant : la première fleur d'une couleur {new}, chaque suivante {_signed(rule.more)}, "
        f"une blanche {_signed(rule.white)}, une noire {_signed(rule.dark)}. Derrière : une fleur de couleur "
        f"{_signed(rule.coloured)}, une blanche ou noire {_signed(rule.wild)}"
        + (f" ({', '.join(extra)})." if extra else "."),
        "Cachez la couleur qui gagne le plus à passer derrière ; aucune si aucune n'y gagne.",
        "Après un échec, gardez les deux couleurs qui comptent le plus devant ; à égalité, celles dont vous "
        "avez le plus.",
        _CARDS_FRENCH[rule.cards],
    ]


_CARDS_FRENCH = (
    "N'utilisez aucune carte.",
    "Cartes, une par tour : Kenrokuen Kumagai, sinon Shin Sumizome, sinon Somei Yoshino si elle rapporte ; "
    "chaque fleur va là où elle compte le plus pour vous.",
    "Cartes, une par tour : Kenrokuen Kumagai, sinon Somei Yoshino si elle rapporte, sinon Shin Sumizome ; "
    "chaque fleur va là où elle compte le plus pour vous.",
)


def _fleurs(n: int) -> str:
    return f"{n} fleur" if n == 1 else f"{n} fleurs"


def _draws_french(rule: Rule) -> str:
    second, third = _draw_french(_sizes(rule, "second")), _draw_french(_sizes(rule, "third"))
    if second == third:
        return f"Deuxième et troisième pioche : {second}."
    return f"Deuxième pioche : {second}. Troisième pioche : {third}."


def _draw_french(sizes: tuple[int, ...]) -> str:
    with_so_many = [f"s'il n'y en a {f'que {n}' if n else 'aucune'}" for n in range(len(sizes))]
    drawn = [f"{size} {words}" for size, words in zip(sizes, with_so_many, strict=True) if size]
    if not drawn:
        return "aucune"
    return f"{', '.join(drawn)}, sinon stop"


FOOT = {
    "en": (
        "Four players, blue cards. With pink, pink, light blue on the table one colour is spoiling: pink.",
        "Alone among three of the strongest players it wins {0} of the games, where an equal wins 25 %. Of "
        "100 games it wins {1} more than each of three players who always draw 3, then 2, and {2} more than "
        "each of three who keep most flowers.",
    ),
    "fr": (
        "Quatre joueurs, cartes bleues. Avec rose, rose, bleu clair sur la table, une couleur est fatale : "
        "le rose.",
        "Seule contre trois des joueurs les plus forts, elle gagne {0} des parties, là où un égal en gagne "
        "25 %. Sur 100 parties, elle en gagne {1} de plus que chacun de trois joueurs qui tirent toujours 3 "
        "puis 2, et {2} de plus que chacun de trois qui gardent le plus de fleurs.",
    ),
}
"""What stands below the lines on the printed page."""
