// Body: the bytes of a message as text, as a tree of JSON, as a message of protobuf, or in hexadecimal; what is most
// likely meant first. One that is too large for an answer is fetched when somebody asks for it.

import { useEffect, useRef, useState } from "preact/hooks";

import { CALL_BYTES_MAX, fetchBody } from "../api/body";
import { useDeed } from "../api/hooks";
import type { ReceivedMessage } from "../api/types";
import { bytesOf, hexLines, textOf } from "../text/bytes";
import { isNested, readJson } from "../text/json";
import { count, bytes as inBytes } from "../text/numbers";
import { fileName, save } from "../text/save";
import { Bar } from "./bar";
import { Failure } from "./failure";
import { ProtobufBody } from "./protobuf_body";
import { Tree } from "./tree";

// Of text and of hexadecimal: so much is shown until somebody asks for all of it.
const CHARACTERS_MAX = 65_536;
const HEX_BYTES_MAX = 4096;
// What is larger is for other programs.
const SHOWN_BYTES_MAX = 16 * 1024 * 1024;

type View = "json" | "text" | "protobuf" | "hex";
const TITLES: Record<View, string> = { json: "JSON", text: "Text", protobuf: "Protobuf", hex: "Hex" };

interface Read {
  bytes: Uint8Array;
  text: string | null;
  json: { value: unknown } | null;
}

function read(bytes: Uint8Array): Read {
  const text = textOf(bytes);
  try {
    const value: unknown = text === null ? undefined : readJson(text);
    return { bytes, text, json: isNested(value) ? { value } : null };
  } catch {
    return { bytes, text, json: null };
  }
}

const saysProtobuf = (contentType: string | undefined): boolean => /proto/i.test(contentType ?? "");

function firstOf(views: View[], contentType: string | undefined): View {
  return saysProtobuf(contentType) ? "protobuf" : views[0];
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

interface BytesProps {
  path: string;
  number: string;
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string | undefined;
}

const saveBody = (path: string, number: string, part: BlobPart): void =>
  save(fileName(path, `${number}.body`), [part], "application/octet-stream");

function Bytes({ path, number, bytes, contentType }: BytesProps) {
  const [body] = useState(() => read(bytes));
  const views: View[] = [
    ...(body.json ? ["json" as const] : []),
    ...(body.text === null ? [] : ["text" as const]),
    "hex",
    "protobuf",
  ];
  const [view, setView] = useState(firstOf(views, contentType));
  return (
    <div>
      <div class="body-head">
        <div class="segments" role="group" aria-label="Show the body as">
          {views.map((name) => (
            <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
              {TITLES[name]}
            </button>
          ))}
        </div>
        <span class="beside">{inBytes(bytes.length)}</span>
        <button type="button" onClick={() => saveBody(path, number, bytes)}>
          Download the body
        </button>
      </div>
      {view === "json" && body.json !== null && (
        <div class="body tree">
          <Tree name="" value={body.json.value} depth={0} />
        </div>
      )}
      {view === "text" && body.text !== null && <Text text={body.text} />}
      {view === "protobuf" && <ProtobufBody path={path} bytes={bytes} contentType={contentType} />}
      {view === "hex" && <Hex bytes={bytes} />}
    </div>
  );
}

// Fetching ends with the window that shows it.
function useFetched(path: string, number: string) {
  const gone = useRef<AbortController | null>(null);
  const [got, setGot] = useState<[bytes: number, of: number]>([0, 0]);
  useEffect(() => () => gone.current?.abort(), []);
  const fetched = async (): Promise<Blob> => {
    gone.current = new AbortController();
    setGot([0, 0]);
    return fetchBody(path, number, (bytes, of) => setGot([bytes, of]), gone.current.signal);
  };
  return { got, fetched };
}

function Large({ path, number, size, contentType }: Omit<BytesProps, "bytes"> & { size: number }) {
  const [shown, setShown] = useState<Uint8Array<ArrayBuffer> | null>(null);
  const { got, fetched } = useFetched(path, number);
  const show = useDeed(async () => setShown(new Uint8Array(await (await fetched()).arrayBuffer())));
  const take = useDeed(async () => saveBody(path, number, await fetched()));
  const [have, of] = got;
  if (shown !== null) return <Bytes path={path} number={number} bytes={shown} contentType={contentType} />;
  return (
    <>
      <p>
        It has about {inBytes(size)}, and is fetched only if you ask for it.
        {size > SHOWN_BYTES_MAX && ` Up to ${inBytes(SHOWN_BYTES_MAX)} are shown here; larger ones can be downloaded.`}
      </p>
      {(show.isRunning || take.isRunning) && (
        <Bar label="Of the body" value={have} of={of || size}>
          {inBytes(have)} of {inBytes(of || size)}
        </Bar>
      )}
      <Failure of={show.failure ?? take.failure} />
      <div class="buttons">
        {size <= SHOWN_BYTES_MAX && (
          <button type="button" disabled={show.isRunning || take.isRunning} onClick={() => show.run()}>
            Show the body
          </button>
        )}
        <button type="button" disabled={show.isRunning || take.isRunning} onClick={() => take.run()}>
          Download the body
        </button>
      </div>
    </>
  );
}

export function Body({ path, of: { message, sequenceNumber, size } }: { path: string; of: ReceivedMessage }) {
  const { body, contentType } = message;
  const bytes = Number(size);
  if (!body && bytes > CALL_BYTES_MAX)
    return <Large path={path} number={sequenceNumber} size={bytes} contentType={contentType} />;
  if (!body) return <p class="none">The body is empty.</p>;
  return <Bytes path={path} number={sequenceNumber} bytes={bytesOf(body)} contentType={contentType} />;
}
