// Named: what others have named or written, on one line of a table, apart from the words around it.

import { visible } from "../text/visible";

// `isCut`: to three lines, where many rows are to be seen; whoever points at it reads all.
export function Named({ text, isCut = false }: { text: string | undefined; isCut?: boolean }) {
  if (text === undefined) return <>–</>;
  const shown = visible(text);
  return (
    <bdi class={isCut ? "text cut" : "text"} title={isCut ? shown : undefined}>
      {shown}
    </bdi>
  );
}
