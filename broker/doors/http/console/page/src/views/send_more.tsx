// SendMore: what a sender over AMQP may say of a message besides, and few do by hand.

import { useState } from "preact/hooks";

import type { Message } from "../api/types";
import { Area, Choice, Field } from "../parts/field";
import { base64Of, bytesOf, bytesOfHex, hexOf } from "../text/bytes";
import { writtenNumber } from "../text/numbers";
import { LINES_HINT, linesOf, propertiesOf } from "../text/property_lines";
import { made } from "../text/values";

export interface More {
  contentEncoding: string;
  viaPartitionKey: string;
  // In hexadecimal.
  userId: string;
  // As the API has it: with all its digits.
  creationTime: string;
  groupSequence: string;
  durable: string;
  firstAcquirer: string;
  annotations: string;
  footer: string;
}

export const MORE_NAMES: (keyof More & keyof Message)[] = [
  "contentEncoding",
  "viaPartitionKey",
  "userId",
  "creationTime",
  "groupSequence",
  "durable",
  "firstAcquirer",
  "annotations",
  "footer",
];

export function moreOf(message: Message = {}): More {
  return {
    contentEncoding: message.contentEncoding ?? "",
    viaPartitionKey: message.viaPartitionKey ?? "",
    userId: message.userId === undefined ? "" : hexOf(bytesOf(message.userId)),
    creationTime: message.creationTime ?? "",
    groupSequence: message.groupSequence?.toString() ?? "",
    durable: message.durable?.toString() ?? "",
    firstAcquirer: message.firstAcquirer?.toString() ?? "",
    annotations: linesOf(message.annotations),
    footer: linesOf(message.footer),
  };
}

// `before` has the values of types that cannot be written.
export function withMore(more: More, before: Message = {}): Message {
  const annotations = propertiesOf(more.annotations, before.annotations);
  const footer = propertiesOf(more.footer, before.footer);
  return {
    ...(more.contentEncoding !== "" && { contentEncoding: more.contentEncoding }),
    ...(more.viaPartitionKey !== "" && { viaPartitionKey: more.viaPartitionKey }),
    ...(more.userId.trim() !== "" && { userId: base64Of(bytesOfHex(more.userId)) }),
    ...(more.creationTime.trim() !== "" && {
      creationTime: String(made("timestamp", more.creationTime.trim()).timestampValue),
    }),
    ...(more.groupSequence.trim() !== "" && { groupSequence: writtenNumber(more.groupSequence) }),
    ...(more.durable !== "" && { durable: more.durable === "true" }),
    ...(more.firstAcquirer !== "" && { firstAcquirer: more.firstAcquirer === "true" }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(Object.keys(footer).length > 0 && { footer }),
  };
}

const SAID: [string, string][] = [
  ["", "not said"],
  ["true", "yes"],
  ["false", "no"],
];

export function MoreInputs({ more, set }: { more: More; set: (part: Partial<More>) => void }) {
  // What a copy brings along is seen.
  const [isOpen, setOpen] = useState(() => Object.values(more).some((text) => text !== ""));
  const field = (name: keyof More, label: string, hint?: string) => (
    <Field label={label} hint={hint} value={more[name]} set={(text) => set({ [name]: text })} />
  );
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Fields of AMQP that the broker carries</summary>
      {isOpen && (
        <>
          <div class="columns">
            {field("contentEncoding", "Content encoding")}
            {field("viaPartitionKey", "Via partition key")}
            {field("userId", "User id", "Bytes, in hexadecimal")}
            {field("creationTime", "Creation time", "2026-01-31T12:00:00Z")}
            {field("groupSequence", "Group sequence")}
            <Choice label="Durable" value={more.durable} set={(durable) => set({ durable })} options={SAID} />
            <Choice
              label="First acquirer"
              value={more.firstAcquirer}
              set={(firstAcquirer) => set({ firstAcquirer })}
              options={SAID}
            />
          </div>
          <Area
            label="Annotations"
            hint={LINES_HINT}
            rows={2}
            value={more.annotations}
            set={(annotations) => set({ annotations })}
          />
          <Area label="Footer" hint={LINES_HINT} rows={2} value={more.footer} set={(footer) => set({ footer })} />
        </>
      )}
    </details>
  );
}
