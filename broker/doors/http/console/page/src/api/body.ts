// Body: the bytes of a message as they are, also of one that is too large for a call.

import { Refusal, askBroker } from "./call";
import type { Message } from "./types";

// Peek shows those up to here, and Send takes them.
export const CALL_BYTES_MAX = 1024 * 1024;
// What the console takes at one go.
export const SENT_BYTES_MAX = 24 * 1024 * 1024;

export type Tell = (bytes: number, of: number) => void;

export async function fetchBody(
  path: string,
  number: string,
  tell: Tell = () => {},
  signal?: AbortSignal,
): Promise<Blob> {
  const query = new URLSearchParams({ entityPath: path, sequenceNumber: number });
  const answer = await askBroker("GET", `bodies?${query}`, undefined, signal);
  const total = Number(answer.headers.get("Content-Length"));
  const reader = answer.body!.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      parts.push(read.value);
      bytes += read.value.length;
      tell(bytes, total);
    }
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal(`the body broke off after ${bytes} bytes`, "Unreachable", "", 0, "not-done");
  }
  return new Blob(parts);
}

// Of one message, whose properties are `message`.
export async function sendBody(path: string, message: Message, body: Blob): Promise<{ sequenceNumber?: string }> {
  // A field of HTTP holds no other letters.
  const properties = JSON.stringify(message).replace(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const query = new URLSearchParams({ entityPath: path });
  const answer = await askBroker("POST", `bodies?${query}`, body, undefined, { "X-Wharf-Message": properties });
  return answer.json();
}
