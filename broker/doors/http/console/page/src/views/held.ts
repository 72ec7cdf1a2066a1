// Held: messages that this page has locked, and sessions that it has accepted, by the path that they are of. They
// outlive a change of view, and go with the page or when another signs in: then their locks end by themselves.

import { useEffect, useState } from "preact/hooks";

import { keptForOne } from "../api/presence";
import type { ReceivedMessage } from "../api/types";

// A page that holds more has forgotten to settle.
const HELD_MAX = 1000;

export interface HeldSession {
  sessionId: string;
  sessionLockToken: string;
  lockedUntil: string;
}

export interface Held {
  message: ReceivedMessage;
  path: string;
}

let messages: Held[] = [];
const sessions = new Map<string, HeldSession>();
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

keptForOne(() => {
  messages = [];
  sessions.clear();
  tell();
});

// Asked before they are locked: a lock that is not held here is lost until it ends.
export function needRoom(more: number): void {
  if (messages.length + more > HELD_MAX)
    throw new Error(`this page holds ${HELD_MAX} messages of all entities at most: settle some first`);
}

export function hold(path: string, more: ReceivedMessage[]): void {
  messages = [...messages, ...more.map((message) => ({ message, path }))];
  tell();
}

export function release(tokens: (string | undefined)[]): void {
  messages = messages.filter(({ message }) => !tokens.includes(message.lockToken));
  tell();
}

export function renewed(token: string, lockedUntil: string): void {
  messages = messages.map((held) =>
    held.message.lockToken === token ? { ...held, message: { ...held.message, lockedUntil } } : held,
  );
  tell();
}

export function holdSession(path: string, session: HeldSession | null): void {
  if (session === null) sessions.delete(path);
  else sessions.set(path, session);
  tell();
}

// Of an entity and of its dead-letter queue.
export function useHeld(path: string): { messages: Held[]; session: HeldSession | null } {
  const [, setRound] = useState(0);
  useEffect(() => {
    const listener = () => setRound((round) => round + 1);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return {
    messages: messages.filter((held) => held.path === path || held.path.startsWith(`${path}/$`)),
    session: sessions.get(path) ?? null,
  };
}
