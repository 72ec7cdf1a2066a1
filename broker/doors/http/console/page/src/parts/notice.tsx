// Notice: what was done, said at the foot of the page and to screen readers. One at a time. A window says it, too, as
// nothing is heard of what is beneath it.

import { useEffect, useState } from "preact/hooks";

const STAYS = 6000;
const listeners = new Set<(text: string) => void>();

export function notice(text: string): void {
  for (const say of listeners) say(text);
}

export function Notices() {
  const [text, setText] = useState("");
  useEffect(() => {
    listeners.add(setText);
    return () => {
      listeners.delete(setText);
    };
  }, []);
  useEffect(() => {
    if (text === "") return;
    const timer = window.setTimeout(() => setText(""), STAYS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return (
    <div class="notices" role="status" aria-live="polite">
      {text !== "" && <p class="notice">{text}</p>}
    </div>
  );
}
