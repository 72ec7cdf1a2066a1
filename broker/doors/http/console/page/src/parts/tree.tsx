// Tree: a value of JSON that opens and closes; what is closed costs nothing, however deep or long it is.

import { useState } from "preact/hooks";

import { Digits, isNested, partsOf } from "../text/json";
import { count } from "../text/numbers";

const OPEN_DEPTH = 3;
const CHILDREN_STEP = 200;

function Leaf({ name, value }: { name: string; value: unknown }) {
  return (
    <div class="leaf">
      {name !== "" && <span class="name">{name}: </span>}
      {value instanceof Digits ? (
        <span class="value number">{value.text}</span>
      ) : (
        <span class={`value ${value === null ? "null" : typeof value}`}>{JSON.stringify(value)}</span>
      )}
    </div>
  );
}

export function Tree({ name, value, depth }: { name: string; value: unknown; depth: number }) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const [shown, setShown] = useState(CHILDREN_STEP);
  if (!isNested(value)) return <Leaf name={name} value={value} />;
  const isList = Array.isArray(value);
  const children = partsOf(value);
  const size = isList ? `[${count(children.length)}]` : `{${count(children.length)}}`;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name !== "" && <span class="name">{name}: </span>}
        {size}
      </summary>
      {isOpen &&
        children
          .slice(0, shown)
          .map(([key, child], at) => <Tree key={at} name={key} value={child} depth={depth + 1} />)}
      {isOpen && children.length > shown && (
        <button type="button" onClick={() => setShown(shown + CHILDREN_STEP)}>
          Show more of {count(children.length)}
        </button>
      )}
    </details>
  );
}
