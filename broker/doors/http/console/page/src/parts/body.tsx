// Body: the bytes of a message as text, as a tree of JSON, or in hexadecimal; what is most likely meant first.

import { useState } from "preact/hooks";

import { bytesOf, hexLines, textOf } from "../text/bytes";
import { count, bytes as inBytes } from "../text/numbers";
import { Tree } from "./tree";

// Of text and of hexadecimal: so much is shown until somebody asks for all of it.
const CHARACTERS_MAX = 65_536;
const HEX_BYTES_MAX = 4096;

type View = "json" | "text" | "hex";

interface Read {
  bytes: Uint8Array;
  text: string | null;
  json: { value: unknown } | null;
}

function read(base64: string): Read {
  const bytes = bytesOf(base64);
  const text = textOf(bytes);
  try {
    const value: unknown = text === null ? undefined : JSON.parse(text);
    return { bytes, text, json: typeof value === "object" && value !== null ? { value } : null };
  } catch {
    return { bytes, text, json: null };
  }
}

function Text({ text }: { text: string }) {
  const [isAll, setAll] = useState(false);
  return (
    <>
      <pre class="body" tabIndex={0} aria-label="Body">
        {isAll ? text : text.slice(0, CHARACTERS_MAX)}
      </pre>
      {!isAll && text.length > CHARACTERS_MAX && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {count(text.length)} characters
        </button>
      )}
    </>
  );
}

export function Body({ base64 }: { base64: string | undefined }) {
  const [body] = useState(() => read(base64 ?? ""));
  const views: View[] = [
    ...(body.json ? ["json" as const] : []),
    ...(body.text === null ? [] : ["text" as const]),
    "hex",
  ];
  const [view, setView] = useState(views[0]);
  if (body.bytes.length === 0) return <p class="none">The body is empty.</p>;
  return (
    <div>
      <div class="buttons" role="group" aria-label="Show the body as">
        {views.map((name) => (
          <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
            {{ json: "JSON", text: "Text", hex: "Hex" }[name]}
          </button>
        ))}
        <span class="beside">{inBytes(body.bytes.length)}</span>
      </div>
      {view === "json" && body.json !== null && (
        <div class="body tree">
          <Tree name="" value={body.json.value} depth={0} />
        </div>
      )}
      {view === "text" && body.text !== null && <Text text={body.text} />}
      {view === "hex" && <Hex bytes={body.bytes} />}
    </div>
  );
}

function Hex({ bytes }: { bytes: Uint8Array }) {
  const [isAll, setAll] = useState(false);
  return (
    <>
      <pre class="body" tabIndex={0} aria-label="Body in hexadecimal">
        {hexLines(isAll ? bytes : bytes.subarray(0, HEX_BYTES_MAX))}
      </pre>
      {!isAll && bytes.length > HEX_BYTES_MAX && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {inBytes(bytes.length)}
        </button>
      )}
    </>
  );
}
