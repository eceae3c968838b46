// The text of a page as the server sees it: white space is one space, none at either end, and offsets count code points.

const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g; // what Python's \s matches

/** A text with its white space tidied. @param {string} text */
export function clean(text) {
  return text.replace(SPACES, " ").replace(/^ | $/g, "");
}

/** For each character of the cleaned text, what it stands for in the raw one. @param {string} raw @returns {{from: number, to: number}[]} */
export function spansOf(raw) {
  const spans = [];
  let at = 0;
  let space = -1;
  for (const character of raw) {
    if (clean(character) === "") {
      if (space < 0) space = at;
    } else {
      if (space >= 0 && spans.length) spans.push({ from: space, to: at });
      space = -1;
      spans.push({ from: at, to: at + character.length });
    }
    at += character.length;
  }
  return spans;
}

/**
 * The part of a cleaned text that stands for the raw characters `from` to `to`, without spaces at its ends.
 * @param {string} raw @param {number} from @param {number} to @returns {{start: number, end: number, whole: boolean} | null} null when nothing but white space is left
 */
export function partOf(raw, from, to) {
  const spans = spansOf(raw);
  const characters = [...clean(raw)];
  let start = spans.findIndex((span) => span.to > from);
  let end = spans.filter((span) => span.from < to).length;
  if (start < 0) return null;
  while (start < end && characters[start] === " ") start += 1;
  while (end > start && characters[end - 1] === " ") end -= 1;
  return start < end ? { start, end, whole: start === 0 && end === spans.length } : null;
}
