// Hooks: what a view asks the broker, now and again, and what it is told.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { Refusal } from "./call";
import { type State, presence } from "./presence";
import { shared } from "./shared";

export function usePresence(): State {
  const [state, setState] = useState(presence.now());
  useEffect(() => {
    // It may have changed since this was drawn.
    setState(presence.now());
    return presence.listen(setState);
  }, []);
  return state;
}

export interface Asked<T> {
  data: T | null;
  failure: Refusal | Error | null;
  again: () => void;
}

// Asks when the view comes, when `keys` change, when the broker is back, and each `pace` ms, while somebody looks. One
// question at a time; the last answer stays while the next one is on its way, also when that is a refusal. What is as it
// was in the next one is the same object, so that nothing of it has to be drawn again.
export function useAsked<T>(question: (signal: AbortSignal) => Promise<T>, keys: unknown[], pace = 0): Asked<T> {
  const { times, kind } = usePresence();
  const [told, setTold] = useState<{ keys: string; data: T | null; failure: Error | null }>({
    keys: "",
    data: null,
    failure: null,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(question);
  latest.current = question;
  const name = JSON.stringify(keys);

  useEffect(() => {
    if (kind !== "there") return;
    const gone = new AbortController();
    let timer = 0;
    let isSkipped = false;
    async function turn(): Promise<void> {
      isSkipped = document.hidden;
      if (!document.hidden) {
        try {
          const data = await latest.current(gone.signal);
          if (gone.signal.aborted) return;
          setTold((before) => {
            const old = before.keys === name ? before.data : null;
            const told = shared(old, data);
            return told === old && before.failure === null && old !== null
              ? before
              : { keys: name, data: told, failure: null };
          });
        } catch (failure) {
          if (gone.signal.aborted) return;
          setTold((before) => ({
            keys: name,
            data: before.keys === name ? before.data : null,
            failure: failure as Error,
          }));
        }
      }
      if (pace > 0) timer = window.setTimeout(turn, pace);
    }
    // What is asked once is asked when it is looked at.
    const shown = () => {
      if (isSkipped && pace === 0) void turn();
    };
    document.addEventListener("visibilitychange", shown);
    void turn();
    return () => {
      gone.abort();
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [name, times, kind, round, pace]);

  const again = useCallback(() => setRound((before) => before + 1), []);
  const isOfThese = told.keys === name;
  return { data: isOfThese ? told.data : null, failure: isOfThese ? told.failure : null, again };
}

// For what was asked once, because somebody wanted it: again, when the broker is back.
export function useBack(again: () => void): void {
  const { times } = usePresence();
  const seen = useRef(times);
  useEffect(() => {
    if (seen.current === times) return;
    seen.current = times;
    again();
  }, [times]);
}

export interface Deed<Arguments extends unknown[]> {
  run: (...arguments_: Arguments) => Promise<boolean>;
  isRunning: boolean;
  failure: Error | null;
}

// Something that is done when asked, once at a time. `run` answers whether it worked.
export function useDeed<Arguments extends unknown[]>(
  deed: (...arguments_: Arguments) => Promise<void>,
): Deed<Arguments> {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  // Before it is drawn that it runs, too.
  const isBusy = useRef(false);
  async function run(...arguments_: Arguments): Promise<boolean> {
    if (isBusy.current) return false;
    isBusy.current = true;
    setRunning(true);
    setFailure(null);
    try {
      await deed(...arguments_);
      return true;
    } catch (error) {
      setFailure(error as Error);
      return false;
    } finally {
      isBusy.current = false;
      setRunning(false);
    }
  }
  return { run, isRunning, failure };
}
