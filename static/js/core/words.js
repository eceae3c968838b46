// Texts in the reader's language. The page brings the translations; without them, the text stays English.

const language = globalThis.document?.documentElement.lang ?? "en";
const found = globalThis.document?.getElementById("script-words")?.textContent;
/** @type {Record<string, string | string[]>} */ const known = found ? JSON.parse(found) : {};

/** @param {string} text @param {Record<string, string | number>} values */
const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => String(values[name]));

/** A text with values for its placeholders, such as %(count)s. @param {string} text @param {Record<string, string | number>} [values] */
export function gettext(text, values = {}) {
  const translated = known[text] ?? text;
  return fill(Array.isArray(translated) ? translated[0] : translated, values);
}

/** A text for one or for several. In French, none is one. @param {string} one @param {string} many @param {number} count @param {Record<string, string | number>} [values] */
export function ngettext(one, many, count, values = {}) {
  const translated = known[one];
  const single = language.startsWith("fr") ? count < 2 : count === 1;
  const [first, second] = Array.isArray(translated) ? translated : [one, many];
  return fill(single ? first : second, { count, ...values });
}
