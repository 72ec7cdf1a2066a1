// Send: one message, or several equal ones, now or at a time.

import { useState } from "preact/hooks";

import { SENT_BYTES_MAX, sendBody } from "../api/body";
import { call } from "../api/call";
import { useDeed } from "../api/hooks";
import type { Message, PropertyValue } from "../api/types";
import { Failure } from "../parts/failure";
import { Area, Check, Choice, Field, FileField } from "../parts/field";
import { notice } from "../parts/notice";
import { TimeField, timeOf } from "../parts/time_field";
import { base64Of, base64OfText, bytesOf, bytesOfHex, hexOf, textOf } from "../text/bytes";
import { bytes, counted, durationOf, spanOf, writtenNumber } from "../text/numbers";
import { addOnce } from "../text/property_lines";
import { KINDS, type KindOfValue, made, shown } from "../text/values";
import { visible } from "../text/visible";
import { words } from "../text/words";
import { type Draft, takeDraft } from "./draft";
import { MORE_NAMES, type More, MoreInputs, moreOf, withMore } from "./send_more";

const COPIES_MAX = 100;
// A hundred copies of it are still one request.
const FILE_IN_CALL_MAX = 64 * 1024;

type BodyIn = "text" | "hex" | "file";

interface Property {
  name: string;
  kind: KindOfValue;
  text: string;
}

// Fields of a message that are texts.
const TEXTS: [keyof Message, string][] = [
  ["messageId", "Message id"],
  ["sessionId", "Session id"],
  ["correlationId", "Correlation id"],
  ["subject", "Subject"],
  ["contentType", "Content type"],
  ["to", "To"],
  ["replyTo", "Reply to"],
  ["replyToSessionId", "Reply to session id"],
  ["partitionKey", "Partition key"],
];

const BODY_KINDS: [string, string][] = [
  ["", "bytes, or as it was copied"],
  ["BODY_KIND_DATA", "bytes"],
  ["BODY_KIND_DATA_SECTIONS", "sections of data, of AMQP"],
  ["BODY_KIND_SEQUENCE", "sections of sequences, of AMQP"],
  ["BODY_KIND_VALUE", "a value of AMQP"],
];

interface Form {
  body: string;
  bodyIn: BodyIn;
  file: File | null;
  texts: Record<string, string>;
  timeToLive: string;
  priority: string;
  at: string;
  copies: string;
  isAtomic: boolean;
  // Empty: of plain bytes, or as that of the message that is copied.
  bodyKind: string;
  more: More;
  properties: Property[];
  // Of the message that is copied: what nobody writes by hand, and its body as it came.
  carried: Message;
  copied: Message | undefined;
  bodyBefore: { text: string; bodyIn: BodyIn; file: File | null };
}

const IN_FORM = new Set<string>([
  ...TEXTS.map(([name]) => name),
  ...MORE_NAMES,
  "body",
  "timeToLive",
  "scheduledEnqueueTime",
  "priority",
  "applicationProperties",
]);

function carriedOf(message: Message): Message {
  const isThere = (value: unknown) => typeof value !== "object" || Object.keys(value ?? {}).length > 0;
  const others = Object.fromEntries(
    Object.entries(message).filter(([name, value]) => !IN_FORM.has(name) && isThere(value)),
  );
  const properties = Object.entries(message.applicationProperties ?? {}).filter(([, value]) => !isWritable(value));
  return properties.length === 0 ? others : { ...others, applicationProperties: Object.fromEntries(properties) };
}

function isWritable(value: PropertyValue): boolean {
  return (KINDS as readonly string[]).includes(shown(value).type);
}

// What it is, in words; that it is of plain bytes goes without saying.
function carriedWords({ applicationProperties, bodyKind, ...others }: Message): string[] {
  return [
    ...Object.keys(others).map((name) => (name === "amqpForm" ? "how AMQP wrote it" : words(name).toLowerCase())),
    ...(bodyKind === undefined || bodyKind === "BODY_KIND_DATA"
      ? []
      : ["the kind of its body, unless that is changed"]),
    ...Object.keys(applicationProperties ?? {}).map((name) => `the property ${visible(name)}`),
  ];
}

function formOf(draft: Draft | null): Form {
  const message = draft?.message;
  const body = bytesOf(message?.body ?? "");
  const text = textOf(body);
  const properties = Object.entries(message?.applicationProperties ?? {})
    .filter(([, value]) => isWritable(value))
    .map(([name, value]): Property => {
      const { type, text } = shown(value);
      return { name, kind: type as KindOfValue, text };
    });
  const written: Form["bodyBefore"] = {
    text: text ?? hexOf(body),
    bodyIn: draft?.body ? "file" : text === null ? "hex" : "text",
    file: draft?.body ?? null,
  };
  return {
    body: written.text,
    bodyIn: written.bodyIn,
    carried: carriedOf(message ?? {}),
    copied: message,
    more: moreOf(message),
    isAtomic: false,
    bodyKind: "",
    bodyBefore: written,
    file: written.file,
    // A copy is another message.
    texts: Object.fromEntries(TEXTS.map(([name]) => [name, name === "messageId" ? "" : String(message?.[name] ?? "")])),
    timeToLive: message?.timeToLive === undefined ? "" : spanOf(message.timeToLive),
    priority: message?.priority?.toString() ?? "",
    at: "",
    copies: "1",
    properties,
  };
}

async function bodyOf({ body, bodyIn, file }: Form): Promise<string> {
  if (bodyIn === "text") return base64OfText(body);
  if (bodyIn === "hex") return base64Of(bytesOfHex(body));
  return base64Of(new Uint8Array(await file!.arrayBuffer()));
}

// But for its body.
function messageOf(form: Form): Message {
  const { bodyKind, applicationProperties: kept, ...carried } = form.carried;
  const properties = new Map<string, PropertyValue>(Object.entries(kept ?? {}));
  for (const { name, kind, text } of form.properties) {
    if (name === "" && text === "") continue;
    if (name === "") throw new Error(`the property with the value "${text}" has no name`);
    addOnce(properties, name, made(kind, text));
  }
  const { text, bodyIn, file } = form.bodyBefore;
  const isSameBody = form.body === text && form.bodyIn === bodyIn && form.file === file;
  return {
    ...carried,
    ...withMore(form.more, form.copied),
    ...(form.bodyKind !== "" ? { bodyKind: form.bodyKind } : isSameBody && bodyKind !== undefined ? { bodyKind } : {}),
    ...Object.fromEntries(Object.entries(form.texts).filter(([, text]) => text !== "")),
    ...(form.timeToLive.trim() === "" ? {} : { timeToLive: durationOf(form.timeToLive) }),
    ...(form.priority.trim() === "" ? {} : { priority: writtenNumber(form.priority) }),
    ...(form.at === "" ? {} : { scheduledEnqueueTime: timeOf(form.at) }),
    applicationProperties: Object.fromEntries(properties),
  };
}

interface SendResult {
  sequenceNumber?: string;
  duplicateOf?: string;
  error?: { message: string };
}

// A large body goes as it is, by itself.
async function send(path: string, form: Form, copies: number): Promise<SendResult[]> {
  if (form.bodyIn === "file" && form.file === null) throw new Error("choose a file for the body");
  const size = form.bodyIn === "file" ? form.file!.size : 0;
  if (size > SENT_BYTES_MAX) throw new Error(`${form.file!.name} is larger than ${bytes(SENT_BYTES_MAX)}`);
  if (size > FILE_IN_CALL_MAX) {
    if (copies > 1) throw new Error(`a body of more than ${bytes(FILE_IN_CALL_MAX)} is sent once at a time`);
    return [await sendBody(path, messageOf(form), form.file!)];
  }
  const message = { ...messageOf(form), body: await bodyOf(form) };
  const told = await call<{ results?: SendResult[] }>("Messaging/Send", {
    entityPath: path,
    messages: Array(copies).fill(message),
    atomic: form.isAtomic && copies > 1,
  });
  return told.results ?? [];
}

function PropertyRow({
  property,
  set,
  remove,
  at,
}: {
  property: Property;
  set: (part: Partial<Property>) => void;
  remove: () => void;
  at: number;
}) {
  return (
    <div class="row" role="group" aria-label={`Property ${at}`}>
      <Field label="Name" value={property.name} set={(name) => set({ name })} />
      <Choice
        label="Type"
        value={property.kind}
        set={(kind) => set({ kind: kind as KindOfValue })}
        options={KINDS.map((kind): [string, string] => [kind, kind])}
      />
      <Field label="Value" value={property.text} set={(text) => set({ text })} />
      <button type="button" onClick={remove} aria-label={`Remove property ${property.name || at}`}>
        Remove
      </button>
    </div>
  );
}

export function Send({ path, requiresSession }: { path: string; requiresSession: boolean }) {
  const [form, setForm] = useState(() => formOf(takeDraft()));
  const [sent, setSent] = useState<SendResult[]>([]);
  const set = (part: Partial<Form>) => setForm((all) => ({ ...all, ...part }));
  const setProperty = (at: number, part: Partial<Property>) =>
    set({ properties: form.properties.map((one, index) => (index === at ? { ...one, ...part } : one)) });
  const { run, isRunning, failure } = useDeed(async () => {
    setSent([]);
    const copies = Number(form.copies);
    if (!Number.isInteger(copies) || copies < 1 || copies > COPIES_MAX)
      throw new Error(`1 to ${COPIES_MAX} messages go at a time`);
    const results = await send(path, form, copies);
    setSent(results);
    notice(
      `${counted(results.filter((result) => result.sequenceNumber !== undefined).length, "message")} sent to ${path}.`,
    );
  });
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <h2>Send to {path}</h2>
      <Choice
        label="Body as"
        value={form.bodyIn}
        set={(value) => set({ bodyIn: value as BodyIn })}
        options={[
          ["text", "text"],
          ["hex", "hexadecimal"],
          ["file", "a file"],
        ]}
      />
      {form.bodyIn === "file" ? (
        <FileField
          label="File"
          hint={
            form.file === null
              ? `${bytes(SENT_BYTES_MAX)} at most`
              : `The body is ${form.file.name}, ${bytes(form.file.size)}`
          }
          set={(file) => set({ file })}
        />
      ) : (
        <Area label="Body" value={form.body} set={(body) => set({ body })} />
      )}
      <Choice
        label="The body is"
        hint="Of AMQP it has to be encoded as that: write it in hexadecimal, or take a file."
        value={form.bodyKind}
        set={(bodyKind) => set({ bodyKind })}
        options={BODY_KINDS}
      />
      <div class="columns">
        {TEXTS.map(([name, label]) => (
          <Field
            key={name}
            label={label}
            value={form.texts[name]}
            set={(text) => set({ texts: { ...form.texts, [name]: text } })}
            hint={name === "sessionId" && requiresSession ? "This entity wants one." : undefined}
            input={name === "sessionId" && requiresSession ? { required: true } : {}}
          />
        ))}
        <Field
          label="Time to live"
          hint="30s, 5m, 1h 30m, 7d; empty: as the entity says"
          value={form.timeToLive}
          set={(timeToLive) => set({ timeToLive })}
        />
        <Field
          label="Priority"
          hint="0 to 9"
          value={form.priority}
          set={(priority) => set({ priority })}
          input={{ type: "number", min: "0" }}
        />
        <TimeField label="Schedule for" none="empty: now" value={form.at} set={(at) => set({ at })} />
        <Field
          label="How many"
          value={form.copies}
          set={(copies) => set({ copies })}
          input={{ type: "number", min: "1", max: String(COPIES_MAX) }}
        />
      </div>
      {Number(form.copies) > 1 && (
        <Check
          label="All of them or none"
          hint="Atomic: with consecutive numbers, and nothing is stored if one is refused"
          value={form.isAtomic}
          set={(isAtomic) => set({ isAtomic })}
        />
      )}
      <MoreInputs more={form.more} set={(part) => set({ more: { ...form.more, ...part } })} />
      <h3>Properties of the application</h3>
      {form.properties.map((property, at) => (
        <PropertyRow
          key={at}
          at={at + 1}
          property={property}
          set={(part) => setProperty(at, part)}
          remove={() => set({ properties: form.properties.filter((_, index) => index !== at) })}
        />
      ))}
      <button
        type="button"
        onClick={() => set({ properties: [...form.properties, { name: "", kind: "string", text: "" }] })}
      >
        Add a property
      </button>
      {carriedWords(form.carried).length > 0 && (
        <div class="row">
          <p class="hint">Of the message that is copied it also has: {carriedWords(form.carried).join(", ")}.</p>
          <button type="button" onClick={() => set({ carried: {} })}>
            Leave that out
          </button>
        </div>
      )}
      <Failure of={failure} />
      {sent.length > 0 && (
        <ul class="results" aria-label="What was sent">
          {sent.map(({ sequenceNumber, duplicateOf, error }, at) => (
            <li key={at}>
              {sequenceNumber && `Number ${sequenceNumber}`}
              {duplicateOf && `Not stored again: it is a duplicate of number ${duplicateOf}`}
              {error && `Refused: ${error.message}`}
            </li>
          ))}
        </ul>
      )}
      <div class="buttons">
        <button type="submit" class="main" disabled={isRunning}>
          {form.at === "" ? "Send" : "Schedule"}
        </button>
      </div>
    </form>
  );
}
