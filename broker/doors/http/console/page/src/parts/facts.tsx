// Facts: names and what they are, one beside the other.

import type { ComponentChildren } from "preact";

export function Facts({ of: facts }: { of: [name: string, value: ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
