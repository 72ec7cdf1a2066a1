// Bytes: base64 of the API, text and hexadecimal.

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += 8192)
    parts.push(String.fromCharCode(...bytes.subarray(from, from + 8192)));
  return btoa(parts.join(""));
}

export function base64OfText(text: string): string {
  return base64Of(new TextEncoder().encode(text));
}

// Null: it is no text.
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function bytesOfHex(text: string): Uint8Array {
  const digits = text.replace(/[\s-]/g, "");
  if (digits.length % 2 === 1 || /[^0-9a-f]/i.test(digits)) throw new Error("bytes are pairs of hexadecimal digits");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

// Sixteen bytes a line: place, digits, and what can be printed of them.
export function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length; from += 16) {
    const row = [...bytes.subarray(from, from + 16)];
    const digits = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const printed = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${from.toString(16).padStart(8, "0")}  ${digits.padEnd(47)}  ${printed}`);
  }
  return lines.join("\n");
}
