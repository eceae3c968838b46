"""Pages in many languages and encodings, declared in every way that the web knows, for the tests of reading.

The texts were written for this purpose. A page holds one sentence (short), three (middle) or three many times over (long).
"""

import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

TEXTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "de": (
        ("windows-1252",),
        (
            "Größe und Gewicht für Möbel aus Österreich.",
            "Schöne Grüße aus Köln, wir öffnen um zwölf.",
            "Die Kühltasche läßt sich öffnen und schließen.",
        ),
    ),
    "fr": (
        ("windows-1252",),
        (
            "Le prix de l’été est réduit à l’entrée.",
            "Crème brûlée, gâteau et thé pour la fête de Noël.",
            "Où êtes-vous allé ? Voilà la forêt française.",
        ),
    ),
    "es": (
        ("windows-1252",),
        (
            "¿Cuándo llegará el envío a España?",
            "El niño comió piña y limón mañana por la mañana.",
            "Camión pequeño, corazón de león, año nuevo.",
        ),
    ),
    "pt": (
        ("windows-1252",),
        (
            "Promoção de verão: pão, maçã e limão até amanhã.",
            "As informações não estão disponíveis em português.",
            "Coração, irmã, avô e avó, três opções.",
        ),
    ),
    "sv": (
        ("windows-1252",),
        (
            "Räksmörgås på bryggan i Västerås varje lördag.",
            "Köp två och få en på köpet, även små storlekar.",
            "Östergötland, Åland och Skåne ligger långt från här.",
        ),
    ),
    "da": (
        ("windows-1252",),
        (
            "Rødgrød med fløde på en blå tallerken.",
            "Smørrebrød, øl og kød til små penge hver søndag.",
            "Æbler og pærer dyrkes på Fyn og Sjælland.",
        ),
    ),
    "fi": (
        ("windows-1252",),
        (
            "Hyvää päivää, tämä tuote on täällä jo tänään.",
            "Mökki järven rannalla, löylyä ja lämpöä.",
            "Äiti söi mämmiä pääsiäisenä kesämökillä.",
        ),
    ),
    "it": (
        ("windows-1252",),
        (
            "Perché la qualità è così alta e il prezzo più basso?",
            "Caffè, tè e papà già in città, lunedì e venerdì.",
            "La libertà però non è mai più là.",
        ),
    ),
    "nl": (
        ("windows-1252",),
        (
            "Eén coördinatie van ideeën en financiële crèches.",
            "De reünie van België kostte één euro per café.",
            "Geïnteresseerde patiënten hebben twee knieën.",
        ),
    ),
    "pl": (
        ("windows-1250", "iso-8859-2"),
        (
            "Książka o żółwiach kosztuje pięćdziesiąt złotych.",
            "Łódź, Kraków i Gdańsk są pięknymi miastami.",
            "Źródło świeżej wody płynie wśród gór.",
        ),
    ),
    "cs": (
        ("windows-1250", "iso-8859-2"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "Cena zboží včetně daně je uvedena níže.", "Můžete přijít zítra večer, těšíme se."),
    ),
    "sk": (
        ("windows-1250", "iso-8859-2"),
        (
            "Kŕdeľ šťastných ďatľov učí koňa žrať kôru.",
            "Čerešňový koláč s ľahkou šľahačkou za päť eur.",
            "Môžete si vybrať ďalší deň v týždni.",
        ),
    ),
    "hu": (
        ("windows-1250", "iso-8859-2"),
        (
            "Árvíztűrő tükörfúrógép kedvező áron kapható.",
            "Győr és Hódmezővásárhely között közlekedő vonat.",
            "Ötödik őszi vásár, új könyvek és füzetek.",
        ),
    ),
    "ro": (
        ("windows-1250", "iso-8859-2"),
        (
            "Preţul produselor româneşti în Bucureşti şi Iaşi.",
            "Copiii învaţă să citească în fiecare dimineaţă.",
            "Aceştia sunt cei mai buni pantofi pentru vară.",
        ),
    ),
    "hr": (
        ("windows-1250", "iso-8859-2"),
        (
            "Čišćenje kuća i vrtova u Šibeniku, Đakovu i Požegi.",
            "Najčešća pitanja o plaćanju i dostavi pošiljke.",
            "Šećer, kruh i češnjak su jeftiniji nego jučer.",
        ),
    ),
    "ru": (
        ("windows-1251", "koi8-r", "iso-8859-5", "ibm866"),
        (
            "Цена книги указана в рублях с доставкой.",
            "Съешь же ещё этих мягких французских булок.",
            "Москва и Петербург находятся далеко друг от друга.",
        ),
    ),
    "uk": (
        ("windows-1251", "koi8-u"),
        (
            "Ціна вказана у гривнях разом із доставкою.",
            "Їжак їсть яблуко під зеленою ялиною.",
            "Київ є столицею України, її серцем і душею.",
        ),
    ),
    "bg": (
        ("windows-1251",),
        ("Цената на книгата е двадесет лева с доставка.", "Жълтата дюля беше щастлива през лятото.", "Столицата на България е град София."),
    ),
    "el": (
        ("windows-1253", "iso-8859-7"),
        (
            "Η τιμή του βιβλίου είναι είκοσι ευρώ με αποστολή.",
            "Καλημέρα σας, το κατάστημα είναι ανοιχτό σήμερα.",
            "Η Αθήνα και η Θεσσαλονίκη είναι μεγάλες πόλεις.",
        ),
    ),
    "tr": (
        ("windows-1254", "iso-8859-9"),
        (
            "Şişli'de güneşli bir gün, çocuklar dışarıda oynuyor.",
            "Ürünün fiyatı kargo dahil yüz elli liradır.",
            "Ağaçların gölgesinde çay içmek çok hoş.",
        ),
    ),
    "he": (
        ("windows-1255", "iso-8859-8"),
        ("מחיר הספר הוא עשרים שקלים כולל משלוח.", "החנות פתוחה היום עד שעה שמונה בערב.", "ירושלים ותל אביב הן ערים גדולות."),
    ),
    "ar": (
        ("windows-1256", "iso-8859-6"),
        ("سعر الكتاب عشرون دينارا مع التوصيل.", "المتجر مفتوح اليوم حتى الساعة الثامنة مساء.", "القاهرة وبغداد مدينتان كبيرتان."),
    ),
    "lt": (
        ("windows-1257", "iso-8859-13"),
        (
            "Įdomūs žaidimai vaikams už mažą kainą šią savaitę.",
            "Šiaulių ir Panevėžio gyventojai džiaugiasi ąžuolais.",
            "Knygų kainos nurodytos su pristatymu į namus.",
        ),
    ),
    "lv": (
        ("windows-1257", "iso-8859-13"),
        (
            "Grāmatas cena ir divdesmit eiro ar piegādi mājās.",
            "Šķūņa jumts ir zaļš, bet žogs ir dzeltens.",
            "Rīgā un Liepājā dzīvo ļoti daudz cilvēku.",
        ),
    ),
    "et": (
        ("windows-1257", "iso-8859-15"),
        ("Õunapuu õitseb aias, jäääär sulab kevadel.", "Töötajad söövad lõunat kella ühe paiku.", "Tänavu müüakse väga häid küpsiseid."),
    ),
    "vi": (("windows-1258",), ("Giá sách là hai mươi nghìn đồng", "Cửa hàng mở cửa hôm nay", "Thành phố Hà Nội rất đẹp")),
    "th": (("windows-874",), ("ราคาหนังสือยี่สิบบาทรวมค่าจัดส่ง", "ร้านเปิดวันนี้จนถึงสองทุ่ม", "กรุงเทพมหานครเป็นเมืองใหญ่")),
    "ja": (
        ("shift_jis", "euc-jp", "iso-2022-jp"),
        ("この本の価格は送料込みで二千円です。", "店は今日の夜八時まで開いています。", "東京と大阪は大きな都市です。"),
    ),
    "zh": (("gbk", "gb18030", "big5"), ("本書的價格包含運費。", "商店今天晚上八點關門。", "北京和上海是很大的城市。")),
    "ko": (
        ("euc-kr",),
        ("이 책의 가격은 배송비 포함 이만 원입니다.", "가게는 오늘 저녁 여덟 시까지 엽니다.", "서울과 부산은 큰 도시입니다."),
    ),
}
"""{language: (encodings its pages are in, three sentences)}"""

PYTHON_NAMES = {"windows-874": "cp874", "ibm866": "cp866", "windows-1258": "cp1258", "shift_jis": "cp932", "euc-kr": "cp949"}
SIGNS = (
    "Price £12.50",
    "Price 12.50 €",
    "© 2024 Shop & Sons",
    "Lego® box, 12 pieces",
    "Oven at 180 °C",
    "2½ cups",
    "It’s “new” – really…",
    "¡Hola!",
    "10 × 20 cm",
)
"""Texts in windows-1252 without a letter that is not ASCII."""

REPEATS = {"short": 0, "middle": 1, "long": 40}
FILLER = '<div class="teaser"><a href="/item?id=1">plain ascii text of the page</a></div>\n'


@dataclass(frozen=True)
class EncodedPage:
    """A page's bytes and what a reader has to find.

    name: what kind of page it is, for messages.
    expected: a text of the page.
    content_type: the header that it came with, or None.
    """

    name: str
    content: bytes
    expected: str
    content_type: str | None = None


def _as_windows_1258(text: str) -> str:
    """Return Vietnamese as windows-1258 has it: a tone that has no letter of its own follows the letter as a mark."""
    letters = []
    for letter in text:
        try:
            letter.encode("cp1258")
        except UnicodeEncodeError:
            base, *marks = list(unicodedata.normalize("NFD", letter))
            tone = [mark for mark in marks if mark in "\u0300\u0301\u0303\u0309\u0323"]
            letter = unicodedata.normalize("NFC", base + "".join(mark for mark in marks if mark not in tone)) + "".join(tone)
        letters.append(letter)
    return "".join(letters)


TEXTS["vi"] = (TEXTS["vi"][0], tuple(map(_as_windows_1258, TEXTS["vi"][1])))


def encode(text: str, encoding: str) -> bytes:
    """Return the text in an encoding that the Encoding Standard names."""
    return text.encode(PYTHON_NAMES.get(encoding, encoding))


def make_page(body: str, *, head: str = "", html: str = "<html>") -> str:
    """Return a page of HTML."""
    return f"<!doctype html>{html}<head>{head}<title>t</title></head><body><p id=x>{body}</p></body></html>"


def undeclared_pages(length: str, *, with_language: bool = False) -> Iterator[EncodedPage]:
    """Yield a page in each language and each of its encodings that says nothing of its encoding.

    length: one of REPEATS.
    with_language: whether the page declares its language.
    """
    for language, (encodings, sentences) in TEXTS.items():
        for encoding in (*encodings, "utf-8"):
            texts = sentences if length == "short" else (" ".join(sentences),)
            for text in texts:
                try:
                    written = encode(text, encoding)
                except UnicodeEncodeError:
                    continue
                html = f'<html lang="{language}">' if with_language else "<html>"
                page = make_page("@", html=html).encode().replace(b"@", b" ".join([written] * max(1, REPEATS[length])))
                yield EncodedPage(f"{language} in {encoding}", page, text)


def late_pages() -> Iterator[EncodedPage]:
    """Yield pages whose first character that is not ASCII stands behind 100,000 bytes."""
    for language, (encodings, sentences) in TEXTS.items():
        for encoding in (*encodings, "utf-8"):
            page = make_page(FILLER * 1500 + "@").encode().replace(b"@", encode(" ".join(sentences), encoding))
            yield EncodedPage(f"{language} in {encoding}, late", page, " ".join(sentences))


def declared_pages() -> Iterator[EncodedPage]:
    """Yield pages that declare their encoding by header, by ``<meta>`` or by a byte-order mark, some beside a false trail."""
    trails = (
        "",
        "<script>var a='<meta charset=shift_jis>'</script>",
        "<title><meta charset=big5></title>",
        "<!-- <meta charset=koi8-r> -->",
        "<style>/*<meta charset=gbk>*/</style>",
    )
    for number, (language, (encodings, sentences)) in enumerate(TEXTS.items()):
        text = " ".join(sentences)
        for encoding in (*encodings, "utf-8"):
            written, trail = encode(text, encoding), trails[number % len(trails)]
            for way, meta, header in (
                ("meta", f'<meta charset="{encoding}">', None),
                ("http-equiv", f"<META content='text/html; charset={encoding}' HTTP-EQUIV=Content-Type>", None),
                ("late meta", f"<style>{'/* blank */' * 300}</style><meta charset={encoding}>", None),
                ("header", "", f'text/html; charset="{encoding}"'),
                ("header before meta", "<meta charset=euc-kr>", f"text/html;charset={encoding.upper()}"),
                ("unknown first", f"<meta charset=klingon><meta charset={encoding}>", "text/html; charset=none"),
            ):
                page = make_page("@", head=trail + meta).encode().replace(b"@", written)
                yield EncodedPage(f"{language} in {encoding}, {way}", page, text, header)
        for mark in ("utf-8-sig", "utf-16", "utf-16-be"):
            marked = ("\ufeff" if mark == "utf-16-be" else "") + make_page(text, head="<meta charset=windows-1252>")
            yield EncodedPage(f"{language}, {mark}", marked.encode(mark), text, "text/html; charset=iso-8859-1")


def wrong_pages(seed: int = 0) -> Iterator[EncodedPage]:
    """Yield pages in UTF-8 with a few bad bytes or a cut end, and pages that are or are not in the UTF-16 that they declare."""
    chance = random.Random(seed)
    for language, (_, sentences) in TEXTS.items():
        text = " ".join(sentences)
        whole = make_page(text + "</p><p>@").encode()
        yield EncodedPage(f"{language}, a bad byte behind the text", whole.replace(b"@", b"sch\xf6ne"), text)
        yield EncodedPage(f"{language}, a bad byte in a comment", whole.replace(b"<html>", b"<html><!-- f\xfcr -->"), text)
        letter = next(letter for letter in reversed(text) if not letter.isascii()).encode()
        yield EncodedPage(f"{language}, cut within a character", whole.replace(b"@", b"x" + letter[:-1]).partition(b"</p></body>")[0], text)
        at = chance.randrange(len(sentences))
        broken = whole.replace(sentences[at].encode(), b"\xff " + sentences[at].encode())
        yield EncodedPage(f"{language}, a bad byte in the text", broken, sentences[at])
        for way, head, header in (
            ("meta", "<meta charset=utf-16>", None),
            ("meta le", "<meta charset=utf-16le>", None),
            ("header", "", "text/html; charset=utf-16"),
        ):
            yield EncodedPage(f"{language}, utf-16 by {way}, is utf-8", make_page(text, head=head).encode(), text, header)
        for encoding in ("utf-16-le", "utf-16-be"):
            page = make_page(text + FILLER * 3, head="<meta name=description content='a page without a mark'>").encode(encoding)
            yield EncodedPage(f"{language}, {encoding} without a mark", page, text)
            yield EncodedPage(f"{language}, {encoding} by header", page, text, f"text/html; charset={encoding[:-3] + encoding[-2:]}")
