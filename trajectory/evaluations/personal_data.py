"""Personal data and secrets in a text: what is looked for, exactly, and where it stands.

Each kind is a pattern with what makes a match more than digits: check digits of cards and IBANs, ranges of IP addresses
and of US social security numbers. The patterns have no nested repeats, so that no text makes them slow.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from trajectory.redaction import SECRETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

Kind: TypeAlias = Literal["email", "phone", "iban", "card", "ip", "us_ssn", "secret"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_GROUPED: Final = frozenset({"phone", "iban", "card", "us_ssn"})
"""Kinds whose digits may be written in groups."""

_IBAN_LENGTHS: Final = {
    **dict.fromkeys(("NO",), 15),
    **dict.fromkeys(("BE", "BI"), 16),
    **dict.fromkeys(("DK", "FI", "FO", "GL", "NL", "SD", "FK"), 18),
    **dict.fromkeys(("MK", "SI"), 19),
    **dict.fromkeys(("AT", "BA", "EE", "KZ", "LT", "LU", "XK", "MN"), 20),
    **dict.fromkeys(("CH", "CR", "HR", "LI", "LV"), 21),
    **dict.fromkeys(("BG", "BH", "DE", "GB", "GE", "IE", "ME", "RS", "VA"), 22),
    **dict.fromkeys(("AE", "GI", "IL", "IQ", "OM", "SO", "TL"), 23),
    **dict.fromkeys(("AD", "CZ", "ES", "MD", "PK", "RO", "SA", "SE", "SK", "TN", "VG"), 24),
    **dict.fromkeys(("LY", "PT", "ST"), 25),
    **dict.fromkeys(("IS", "TR"), 26),
    **dict.fromkeys(("BF", "DJ", "FR", "GR", "IT", "MC", "MR", "SM"), 27),
    **dict.fromkeys(("AL", "AZ", "BY", "CY", "DO", "GT", "HN", "HU", "LB", "NI", "PL", "SV"), 28),
    **dict.fromkeys(("BR", "EG", "PS", "QA", "UA"), 29),
    **dict.fromkeys(("JO", "KW", "MU", "YE"), 30),
    **dict.fromkeys(("MT", "SC"), 31),
    **dict.fromkeys(("LC",), 32),
    **dict.fromkeys(("RU",), 33),
}
"""How many characters an IBAN has, by country (ISO 13616 registry)."""
_CARD: Final = re.compile(
    r"3[47]\d{13}"  # American Express
    r"|3(?:0[0-5]|[689]\d)\d{11}"  # Diners Club
    r"|35(?:2[89]|[3-8]\d)\d{12,15}"  # JCB
    r"|4\d{12}(?:\d{3}){0,2}"  # Visa
    r"|5[1-5]\d{14}|(?:222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"  # Mastercard
    r"|(?:50|5[6-8]|63|67)\d{11,17}"  # Maestro
    r"|(?:6011|64[4-9]\d|65\d\d)\d{12,15}"  # Discover
    r"|62\d{14,17}",  # UnionPay
    re.ASCII,
)
"""Card numbers by issuer (the ranges of ISO/IEC 7812 as the card schemes publish them), digits only."""
_FEWEST_CARD_DIGITS: Final = 13
_NO_DIGIT: Final = re.compile(r"\D", re.ASCII)
_DOUBLED: Final = {str(digit): sum(divmod(2 * digit, 10)) for digit in range(10)}
_PHONE_DIGITS: Final = range(8, 16)
"""E.164 allows fifteen digits; fewer than eight are hardly a number that can be called from abroad."""
_FEWEST_DIGITS: Final[Mapping[Kind, int]] = {"phone": 8, "iban": 2, "card": _FEWEST_CARD_DIGITS, "us_ssn": 9}
"""A text with fewer digits holds none of the kind: most answers need not be searched."""
_SHOWN: Final = 2
_MOST_STARS: Final = 16


@dataclass(frozen=True, slots=True)
class Find:
    """Something that was found.

    Attributes:
        kind: What it is.
        text: It itself. It must not be shown.
    """

    kind: Kind
    text: str

    @property
    def masked(self) -> str:
        """Show just enough of it to be found."""
        if len(self.text) <= 3 * _SHOWN:
            return "*" * len(self.text)
        stars = "*" * min(len(self.text) - 2 * _SHOWN, _MOST_STARS)
        return f"{self.text[:_SHOWN]}{stars}{self.text[-_SHOWN:]}"

    @property
    def canonical(self) -> str:
        """It itself without the ways to write it: two finds of one kind are the same when this is."""
        if self.kind in _GROUPED:
            return re.sub(r"[^0-9A-Z]", "", self.text.upper(), flags=re.ASCII)
        return self.text.lower() if self.kind in {"email", "ip"} else self.text


def find_personal_data(text: str, kinds: Iterable[Kind] = KINDS) -> list[Find]:
    """Find personal data and secrets.

    Args:
        text: Where to look.
        kinds: What to look for.

    Returns:
        Each find once, in the order of the kinds and then of the text.
    """
    digits, has_at = sum(map(text.count, "0123456789")), "@" in text
    possible = [kind for kind in kinds if digits >= _FEWEST_DIGITS.get(kind, 0) and (has_at or kind != "email")]
    found = (Find(kind, match) for kind in possible for match in _FINDERS[kind](text))
    return list(dict.fromkeys(found))


def _matching(pattern: str, valid: Callable[[str], bool] = lambda _: True) -> Callable[[str], Iterator[str]]:
    compiled = re.compile(pattern, re.ASCII)

    def find(text: str) -> Iterator[str]:
        return (match[0] for match in compiled.finditer(text) if valid(match[0]))

    return find


def _digits(text: str) -> str:
    return _NO_DIGIT.sub("", text)


def passes_luhn(digits: str) -> bool:
    """Check the last digit of a card number (ISO/IEC 7812-1, annex B)."""
    backwards = digits[::-1]
    return (sum(map(int, backwards[::2])) + sum(map(_DOUBLED.__getitem__, backwards[1::2]))) % 10 == 0


def is_card(digits: str) -> bool:
    """Check the issuer, the length and the check digit of a card number."""
    return _CARD.fullmatch(digits) is not None and passes_luhn(digits) and len(set(digits)) > 1


def _cards(text: str) -> Iterator[str]:
    """Find card numbers, written in one or in groups; what stands around them may be numbers as well."""
    taken = 0
    for match in _CARD_START.finditer(text):
        if match.start() < taken:
            continue
        digits = _digits(match[1])
        for length in range(len(digits), _FEWEST_CARD_DIGITS - 1, -1):
            if not is_card(digits[:length]):
                continue
            card = _take(match[1], length)
            if not _GOES_ON.match(text, match.start() + len(card)):
                taken = match.start() + len(card)
                yield card
                break


_CARD_START: Final = re.compile(
    rf"(?<!\d)(?<!\d-)(?=([2-6]\d{{3}}(?:[ -]?\d){{{_FEWEST_CARD_DIGITS - 4},15}}))", re.ASCII
)
_GOES_ON: Final = re.compile(r"-?\d", re.ASCII)


def is_iban(text: str) -> bool:
    """Check the length and the check digits of an IBAN (ISO 13616, ISO/IEC 7064 mod 97-10)."""
    compact = text.replace(" ", "").upper()
    if _IBAN_LENGTHS.get(compact[:2]) != len(compact) or not (compact.isascii() and compact.isalnum()):
        return False
    return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1


def _ibans(text: str) -> Iterator[str]:
    """Find IBANs, written in one or in groups of four; what follows them may look like one more group."""
    for match in _IBAN_START.finditer(text):
        length = _IBAN_LENGTHS.get(match[0][:2].upper())
        if length is None:
            continue
        candidate = _take(text[match.start() : match.start() + 2 * length], length)
        if is_iban(candidate):
            yield candidate


_IBAN_START: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?= ?[A-Za-z0-9])", re.ASCII)


def _take(text: str, length: int) -> str:
    """Take so many characters that are no spaces and no hyphens."""
    taken = 0
    for index, char in enumerate(text):
        taken += char not in " -"
        if taken == length:
            return text[: index + 1]
    return text


def _is_phone(text: str) -> bool:
    return not text.startswith("+") or len(_digits(text)) in _PHONE_DIGITS


def _is_ip(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _secrets(text: str) -> Iterator[str]:
    return (match[0] for _, pattern in SECRETS for match in pattern.finditer(text))


_IP_V4: Final = r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\d)"
_IP_V6: Final = r"(?<![\w:])(?:[0-9A-Fa-f]{1,4}:|:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])"
_NORTH_AMERICAN: Final = r"(?:\([2-9]\d{2}\) ?|(?<![\d-])[2-9]\d{2}[-.])[2-9]\d{2}[-.]\d{4}(?![\d-])"
_FINDERS: Final[dict[Kind, Callable[[str], Iterator[str]]]] = {
    "email": _matching(
        r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
    ),
    "phone": _matching(rf"(?<![\w+])\+\d(?:[ ().-]{{0,2}}\d){{6,16}}(?!\d)|{_NORTH_AMERICAN}", _is_phone),
    "iban": _ibans,
    "card": _cards,
    "ip": _matching(rf"{_IP_V4}|{_IP_V6}", _is_ip),
    "us_ssn": _matching(r"(?<!\d)(?<!\d-)(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])"),
    "secret": _secrets,
}
