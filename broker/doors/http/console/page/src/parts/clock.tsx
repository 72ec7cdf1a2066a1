// Clock: spans of time that go on while nothing else changes.

import { useEffect, useState } from "preact/hooks";

import { span } from "../text/numbers";

const TICK = 1000;
const listeners = new Set<(now: number) => void>();
let timer = 0;

function listen(listener: (now: number) => void): () => void {
  listeners.add(listener);
  if (timer === 0) timer = window.setInterval(() => listeners.forEach((one) => one(Date.now())), TICK);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = 0;
  };
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => listen(setNow), []);
  return now;
}

const secondsTo = (at: string, now: number): number => Math.round((new Date(at).getTime() - now) / 1000);

export function Since({ at }: { at: string | undefined }) {
  const now = useNow();
  return <>{at ? span(Math.max(0, -secondsTo(at, now))) : "–"}</>;
}

export function Until({ at }: { at: string | undefined }) {
  const now = useNow();
  if (at === undefined) return <>–</>;
  const seconds = secondsTo(at, now);
  return <>{seconds <= 0 ? "now" : span(seconds)}</>;
}
