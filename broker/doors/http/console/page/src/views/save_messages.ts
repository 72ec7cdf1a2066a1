// SaveMessages: what a search finds, a message of the API's JSON a line, as a file of the browser's.

import { type Wanted, peek } from "./browse";

const PAGE = 250;
// What a page may hold in memory until the file is whole.
const MESSAGES_MAX = 100_000;
const CHARACTERS_MAX = 256 * 1024 * 1024;

function save(name: string, parts: string[]): void {
  const address = URL.createObjectURL(new Blob(parts, { type: "application/jsonl" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

// Says how many there are so far. Saves what there is when it ends early, and says so.
export async function saveMessages(path: string, wanted: Wanted, tell: (count: number) => void): Promise<void> {
  const lines: string[] = [];
  let characters = 0;
  let from: string | undefined = wanted.from.trim() === "" ? "0" : wanted.from.trim();
  tell(0);
  while (from !== undefined && lines.length < MESSAGES_MAX && characters < CHARACTERS_MAX) {
    const { messages = [], nextSequenceNumber }: Awaited<ReturnType<typeof peek>> = await peek(
      path,
      wanted,
      from,
      PAGE,
    );
    for (const message of messages) {
      const line = `${JSON.stringify(message)}\n`;
      characters += line.length;
      lines.push(line);
    }
    tell(lines.length);
    from = nextSequenceNumber;
  }
  save(`${path.replace(/[^\w.-]+/g, "_")}.jsonl`, lines);
  if (from !== undefined)
    throw new Error(`only the first ${lines.length} messages are in the file: go on from number ${from}`);
}
