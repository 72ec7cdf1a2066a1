// Bar: how far something has come, as a bar and in words.

import type { ComponentChildren } from "preact";

interface BarProps {
  label: string;
  value: number;
  // 0: not known yet.
  of: number;
  children: ComponentChildren;
}

export function Bar({ label, value, of, children }: BarProps) {
  return (
    <div class="progress">
      {of > 0 ? <progress aria-label={label} max={of} value={value} /> : <progress aria-label={label} />}
      <span>{children}</span>
    </div>
  );
}
