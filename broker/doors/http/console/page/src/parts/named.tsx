// Named: what others have named or written, on one line of a table, apart from the words around it.

import { visible } from "../text/visible";

export function Named({ text }: { text: string | undefined }) {
  return text === undefined ? <>–</> : <bdi class="text">{visible(text)}</bdi>;
}
