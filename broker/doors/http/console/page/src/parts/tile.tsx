// Tile: one number that is looked for first, large, with what it is and a word on it.

import type { ComponentChildren } from "preact";

interface TileProps {
  name: string;
  value: ComponentChildren;
  // To be seen to.
  isBad?: boolean;
  children?: ComponentChildren;
}

export function Tile({ name, value, isBad = false, children }: TileProps) {
  return (
    <div class={isBad ? "tile bad" : "tile"}>
      <dt>{name}</dt>
      <dd>
        <span class="large">{value}</span>
        <span class="beside">{children}</span>
      </dd>
    </div>
  );
}
