// Save: a file of the browser's, of what the page has.

export function save(name: string, parts: BlobPart[], type: string): void {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it when this is run.
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

// What a file may be called everywhere.
export function fileName(...parts: string[]): string {
  return parts.join("-").replace(/[^\w.-]+/g, "_");
}
