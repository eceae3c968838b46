"""Yes and no in the words of the page's language.

Some words are yes or no in one language and something else in another: `ei` means "no" in Finnish and "egg" in German. So a page's language
decides which words count; English ones and signs count everywhere.
"""

import re
from collections.abc import Iterator

from extraction.algorithms.values.digits import normalise_text
from extraction.algorithms.values.locales import find_locale
from extraction.algorithms.values.reading import Reading, list_words, refuse_value

YES_NO_SIGNS = {
    **dict.fromkeys(list_words("✓ ✔ ☑ ✅ ● 🗸 1"), True),
    **dict.fromkeys(list_words("✗ ✘ ✕ ✖ × ❌ ☐ □ 0"), False),
}

_YES_NO_TEXT = """
en: yes, y, yep, yeah, true, on, checked, enabled, available, in stock, instock, included, active, present, supported | no, n, nope,
  false, off, none, unchecked, disabled, unavailable, not available, out of stock, outofstock, sold out, not included, inactive, absent,
  unsupported, not supported
de: ja, wahr, an, ein, vorhanden, verfügbar, auf lager, lieferbar, enthalten, inklusive, aktiv, aktiviert | nein, falsch, aus, nicht
  vorhanden, nicht verfügbar, nicht auf lager, nicht lieferbar, ausverkauft, nicht enthalten, kein, keine, inaktiv, deaktiviert
fr: oui, vrai, activé, disponible, en stock, inclus, présent | non, faux, désactivé, indisponible, non disponible, en rupture de stock,
  rupture de stock, épuisé, non inclus, absent, aucun
es: sí, si, verdadero, activado, disponible, en stock, incluido | no, falso, desactivado, no disponible, sin stock, agotado, no
  incluido, ninguno
ca: sí, si, cert, disponible, en estoc, inclòs | no, fals, no disponible, sense estoc, exhaurit, cap
it: sì, si, vero, attivo, disponibile, incluso | no, falso, non attivo, non disponibile, esaurito, non incluso, nessuno
pt: sim, verdadeiro, ativado, disponível, em estoque, em stock, incluído | não, nao, falso, desativado, indisponível, não disponível,
  sem estoque, sem stock, esgotado, nenhum
nl: ja, waar, aan, beschikbaar, op voorraad, inbegrepen, aanwezig | nee, neen, onwaar, uit, niet beschikbaar, niet op voorraad,
  uitverkocht, afwezig, geen
sv: ja, sant, på, tillgänglig, i lager, finns | nej, falskt, av, ej tillgänglig, inte tillgänglig, ej i lager, slut i lager, slutsåld,
  saknas, ingen
da: ja, sandt, til, tilgængelig, på lager | nej, falsk, fra, ikke tilgængelig, ikke på lager, udsolgt, ingen
nb: ja, sant, på, tilgjengelig, på lager | nei, usant, av, ikke tilgjengelig, ikke på lager, utsolgt, ingen
fi: kyllä, joo, tosi, on, päällä, saatavilla, varastossa | ei, epätosi, pois, ei saatavilla, loppu, ei varastossa, ei ole
et: jah, jaa, tõene, saadaval, laos, olemas | ei, väär, ei ole saadaval, läbi müüdud, puudub
is: já, satt, til á lager | nei, ósatt, uppselt
pl: tak, prawda, dostępny, dostępna, dostępne, w magazynie, włączone | nie, fałsz, niedostępny, niedostępna, niedostępne, brak,
  wyłączone
cs: ano, pravda, skladem, dostupné, zapnuto | ne, nepravda, není skladem, nedostupné, vyprodáno, vypnuto, není
sk: áno, ano, pravda, skladom, dostupné, zapnuté | nie, nepravda, nie je skladom, nedostupné, vypredané, vypnuté
sl: da, ja, na zalogi, na voljo | ne, ni na zalogi, ni na voljo, razprodano
hr: da, dostupno, na zalihi, na skladištu | ne, nedostupno, nije dostupno, rasprodano
sr: da, да, доступно, dostupno, na stanju, на стању | ne, не, недоступно, nedostupno, nema na stanju, нема на стању
bs: da, dostupno | ne, nedostupno
mk: да | не
bg: да, в наличност, наличен, налично | не, няма, изчерпан, няма в наличност
ru: да, есть, в наличии, включено, имеется | нет, отсутствует, нет в наличии, выключено, распродано
uk: так, є, в наявності, увімкнено | ні, немає, нема, відсутній, немає в наявності, вимкнено
be: так, ёсць | не, няма
hu: igen, igaz, van, raktáron, elérhető, készleten | nem, hamis, nincs, nincs raktáron, nem elérhető, elfogyott
ro: da, adevărat, disponibil, în stoc, in stoc, inclus | nu, fals, indisponibil, stoc epuizat, fără stoc
lt: taip, yra, turime, prieinama | ne, nėra, neturime, išparduota
lv: jā, ir, pieejams, noliktavā | nē, nav, nav pieejams, izpārdots
el: ναι, ναί, διαθέσιμο, σε απόθεμα, αληθές | όχι, οχι, μη διαθέσιμο, εξαντλημένο, εξαντλήθηκε
tr: evet, var, doğru, stokta, mevcut, açık | hayır, yok, yanlış, stokta yok, mevcut değil, tükendi, kapalı
az: bəli, hə, var | xeyr, yox
ar: نعم, متوفر, صحيح, متاح | لا, كلا, غير متوفر, خطأ, غير متاح
fa: بله, بلی, آری, موجود, دارد | خیر, نه, ناموجود, ندارد
ur: ہاں, جی ہاں | نہیں, جی نہیں
he: כן, יש, במלאי, זמין | לא, אין, לא במלאי, לא זמין, אזל מהמלאי
hi: हाँ, हां, जी हाँ, उपलब्ध | नहीं, नही, जी नहीं, अनुपलब्ध
bn: হ্যাঁ | না
th: ใช่, มี, มีสินค้า | ไม่, ไม่ใช่, ไม่มี, สินค้าหมด
vi: có, vâng, đúng, còn hàng | không, sai, hết hàng
id: ya, iya, ada, benar, tersedia | tidak, bukan, salah, tidak ada, tidak tersedia, habis
ms: ya, ada, tersedia | tidak, bukan, tiada, tidak tersedia
ja: はい, 有, 有り, あり, ○, 〇, ◯, 可, 在庫あり, 有効 | いいえ, 無, 無し, なし, 不可, 在庫なし, 売り切れ, 無効, いや
zh: 是, 有, 是的, 对, 對, 有货, 有貨, 现货, 支持, 可 | 否, 不, 不是, 无, 無, 没有, 沒有, 无货, 缺货, 缺貨, 不支持, 不可
ko: 예, 네, 있음, 유, 재고 있음, 가능 | 아니요, 아니오, 없음, 무, 품절, 재고 없음, 불가
eu: bai | ez
gl: si, sí | non
cy: ydy, ie | na, nac ydy
ga: tá, sea | níl, ní hea
sw: ndiyo | hapana
fil: oo, opo | hindi
sq: po | jo
"""
"""Words by language: yes before the bar, no behind it. CLDR's own words for yes and no are not in babel."""


def _read_yes_no_words() -> Iterator[tuple[str, dict[str, bool]]]:
    for line in _YES_NO_TEXT.replace("\n  ", " ").strip().splitlines():
        language, _, words = line.partition(": ")
        yes, no = (part.split(", ") for part in words.split(" | "))
        yield language, {**{_fold_answer(word): True for word in yes}, **{_fold_answer(word): False for word in no}}


def _fold_answer(word: str) -> str:
    return normalise_text(word).casefold().replace("\u0307", "").strip(" .!:;").replace("ς", "σ")


YES_NO_WORDS: dict[str, dict[str, bool]] = dict(_read_yes_no_words())
"""{language: {word, casefolded: whether it means yes}}"""


def _list_agreed() -> dict[str, bool]:
    """Return the words that mean the same in every language that has them, without those of two letters."""
    found: dict[str, set[bool]] = {}
    for words in YES_NO_WORDS.values():
        for word, yes in words.items():
            found.setdefault(word, set()).add(yes)
    return {word: next(iter(yes)) for word, yes in found.items() if len(yes) == 1}


AGREED = _list_agreed()


def read_yes_no(text: str, language: str) -> Reading:
    """Return "true" or "false"."""
    word = normalise_text(text)
    word = re.sub(r"^https?://schema\.org/", "", word)
    if word in YES_NO_SIGNS:
        return Reading(_write_yes_no(YES_NO_SIGNS[word]))
    folded = _fold_answer(word.replace("İ", "i").replace("I", "ı") if language.startswith(("tr", "az")) else word)
    found = _words_of(language).get(folded)
    if found is None:
        found = YES_NO_WORDS["en"].get(_fold_answer(word)) if language else None
    return refuse_value(text, "is neither yes nor no") if found is None else Reading(_write_yes_no(found))


def _words_of(language: str) -> dict[str, bool]:
    locale = find_locale(language)
    code = locale.language if locale is not None else language.split("-")[0]
    return YES_NO_WORDS.get({"nn": "nb", "no": "nb"}.get(code, code), AGREED if not language or code not in YES_NO_WORDS else {})


def _write_yes_no(yes: bool) -> str:
    return "true" if yes else "false"
