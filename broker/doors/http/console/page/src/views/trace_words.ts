// Trace words: what a message waits for, and what happened to it, in words.

import type { MessageEvent, MessagePlace } from "../api/types";
import { enumWords } from "../text/words";

export function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

const WAITS: Record<string, string> = {
  MESSAGE_WAIT_LOCK: "the end of its lock",
  MESSAGE_WAIT_SCHEDULED_TIME: "its time",
  MESSAGE_WAIT_DELAY: "the end of its rest",
  MESSAGE_WAIT_DEFERRED: "who asks for its number: it is deferred",
  MESSAGE_WAIT_QUARANTINE: "an operator: it cannot be read",
  MESSAGE_WAIT_ENTITY_STATUS: "that receiving is enabled",
  MESSAGE_WAIT_EXPIRY: "to be removed: its time to live is over",
};

export function waitWords({ wait, isNext, message, forwardTo, jobIds = [] }: MessagePlace): string {
  const session = message.message.sessionId ?? "";
  const words =
    wait === "MESSAGE_WAIT_RECEIVER"
      ? isNext
        ? "a receiver: it is the next"
        : "its turn, and a receiver"
      : wait === "MESSAGE_WAIT_SESSION"
        ? `a receiver that accepts the session ${session}`
        : wait === "MESSAGE_WAIT_SESSION_LOCK"
          ? `who holds the session ${session}`
          : wait === "MESSAGE_WAIT_FORWARDING"
            ? `to be forwarded to ${forwardTo ?? ""}`
            : (WAITS[wait] ?? enumWords(wait, "MESSAGE_WAIT_"));
  return [words, ...jobIds.map((job) => `job ${job} comes to it`)].join("; ");
}

export function storyWords({ kind }: MessageEvent): string {
  return enumWords(kind, "MESSAGE_EVENT_KIND_");
}

const UNTIL: Record<string, string> = {
  DELIVERED: "locked until",
  LOCK_RENEWED: "locked until",
  ABANDONED: "rests until",
  LOCK_EXPIRED: "rests until",
};

// What its time is; all others are scheduled for it.
export function untilWords({ kind }: MessageEvent): string {
  return UNTIL[kind.replace("MESSAGE_EVENT_KIND_", "")] ?? "for";
}

// Where it went or came from.
export function otherWords({ kind, otherEntityPath, otherSequenceNumber }: MessageEvent): string {
  const number = otherSequenceNumber ?? "0";
  if (!otherEntityPath) return number === "0" ? "" : `was scheduled as ${number}`;
  const isFrom = kind.endsWith("_FROM");
  return isFrom ? `${otherEntityPath}, where it was ${number}` : `to ${otherEntityPath}, where it is ${number}`;
}

const DOORS: Record<string, string> = {
  DOOR_GRPC: "gRPC",
  DOOR_AMQP: "AMQP",
  DOOR_HTTP: "HTTP",
  DOOR_CONSOLE: "the console",
};

export function doorWords({ door = "DOOR_UNSPECIFIED", client, identity }: MessageEvent): string {
  if (door === "DOOR_UNSPECIFIED" && client === undefined) return "–";
  return [DOORS[door] ?? "", client ?? "", identity === undefined ? "" : `as ${identity}`].filter(Boolean).join(" ");
}
