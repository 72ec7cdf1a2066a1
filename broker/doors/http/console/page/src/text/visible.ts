// Visible: text of others, so that what looks alike is not alike: with escapes, as the command line has them, for what
// shows nothing, or turns the direction of writing, or is a space that is none of the space bar; for a space at an end,
// and for the backslash that escapes begin with. The style keeps spaces that stand together.

// Controls, formats, separators of lines, surrogates, what is unassigned, spaces; but for the two joiners, which many
// scripts need, and the common space.
const UNSEEN = /[\\\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Zs}]/gu;
const AS_IT_IS = new Set(["\u200c", "\u200d", " "]);
const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

function escaped(letter: string): string {
  if (AS_IT_IS.has(letter)) return letter;
  const code = letter.codePointAt(0) ?? 0;
  return SHORT[letter] ?? (code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`);
}

export function visible(text: string): string {
  if (text === "") return '"" (empty)';
  return text.replace(UNSEEN, escaped).replace(/^ +| +$/g, (spaces) => "\\x20".repeat(spaces.length));
}
