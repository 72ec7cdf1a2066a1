// Notice: what was done, said at the foot of the page and to screen readers. One at a time.

import { useEffect, useState } from "preact/hooks";

const STAYS = 6000;
let say: (text: string) => void = () => {};

export function notice(text: string): void {
  say(text);
}

export function Notices() {
  const [text, setText] = useState("");
  useEffect(() => {
    say = setText;
    return () => {
      say = () => {};
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
