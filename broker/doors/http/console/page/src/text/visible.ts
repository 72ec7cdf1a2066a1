// Visible: text of others, so that what looks alike is not alike: with escapes for what shows nothing or turns the
// direction of writing, as the command line has them, and with a sign for a space at an end.

// Controls, formats, separators of lines, surrogates, what is unassigned; but for the two joiners, which many scripts
// need.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu;
const JOINERS = new Set(["\u200c", "\u200d"]);
const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(letter: string): string {
  if (JOINERS.has(letter)) return letter;
  const code = letter.codePointAt(0) ?? 0;
  return SHORT[letter] ?? (code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`);
}

export function visible(text: string): string {
  if (text === "") return '"" (empty)';
  return text.replace(UNSEEN, escaped).replace(/^ +| +$/g, (spaces) => "␠".repeat(spaces.length));
}
