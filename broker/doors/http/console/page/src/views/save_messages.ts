// SaveMessages: what a search finds, a message of the API's JSON a line, as a file of the browser's.

import { CALL_BYTES_MAX, fetchBody } from "../api/body";
import type { ReceivedMessage } from "../api/types";
import { base64Of } from "../text/bytes";
import { fileName, save } from "../text/save";
import { type Wanted, firstNumberOf, peek } from "./browse";

const PAGE = 250;
// What a page may hold in memory until the file is whole.
const MESSAGES_MAX = 100_000;
const CHARACTERS_MAX = 256 * 1024 * 1024;

// As one of the API's answers would have it: a large body as base64, too.
async function whole(path: string, received: ReceivedMessage): Promise<ReceivedMessage> {
  if (received.message.body || Number(received.size) <= CALL_BYTES_MAX) return received;
  const blob = await fetchBody(path, received.sequenceNumber);
  const body = base64Of(new Uint8Array(await blob.arrayBuffer()));
  return { ...received, message: { ...received.message, body } };
}

// Says how many there are so far. Saves what there is when it ends early, and says so.
export async function saveMessages(path: string, wanted: Wanted, tell: (count: number) => void): Promise<void> {
  const lines: string[] = [];
  let characters = 0;
  let from: string | undefined = firstNumberOf(wanted.from);
  tell(0);
  while (from !== undefined && lines.length < MESSAGES_MAX && characters < CHARACTERS_MAX) {
    const { messages = [], nextSequenceNumber }: Awaited<ReturnType<typeof peek>> = await peek(
      path,
      wanted,
      from,
      PAGE,
    );
    for (const message of messages) {
      // As base64.
      const more = (Number(message.size) * 4) / 3;
      if (characters + more > CHARACTERS_MAX && lines.length > 0) return end(path, lines, message.sequenceNumber);
      const line = `${JSON.stringify(await whole(path, message))}\n`;
      characters += line.length;
      lines.push(line);
    }
    tell(lines.length);
    from = nextSequenceNumber;
  }
  end(path, lines, from);
}

function end(path: string, lines: string[], next: string | undefined): void {
  save(fileName(path) + ".jsonl", lines, "application/jsonl");
  if (next !== undefined)
    throw new Error(`only the first ${lines.length} messages are in the file: go on from number ${next}`);
}
