// Message: what a message is: its properties with their types, what the broker knows of it, and its body.

import type { ComponentChildren } from "preact";

import type { Message, Properties, ReceivedMessage } from "../api/types";
import { bytesOf, hexOf } from "../text/bytes";
import { bytes, count, spanOf } from "../text/numbers";
import { shown } from "../text/values";
import { visible } from "../text/visible";
import { enumWords } from "../text/words";
import { Body } from "./body";
import { Facts } from "./facts";
import { Moment } from "./moment";
import { Named } from "./named";
import { Table } from "./table";

type Row = { name: string; type: string; value: ComponentChildren };

// Of the sender's fields that the API has by name.
export function systemRows(message: Message): Row[] {
  const text = (name: string, value: string | undefined): Row[] =>
    value === undefined ? [] : [{ name, type: "string", value }];
  const time = (name: string, value: string | undefined): Row[] =>
    value === undefined ? [] : [{ name, type: "timestamp", value: <Moment at={value} /> }];
  const other = (name: string, type: string, value: number | boolean | undefined): Row[] =>
    value === undefined ? [] : [{ name, type, value: String(value) }];
  return [
    ...text("MessageId", message.messageId),
    ...text("CorrelationId", message.correlationId),
    ...text("ContentType", message.contentType),
    ...text("Subject", message.subject),
    ...text("To", message.to),
    ...text("ReplyTo", message.replyTo),
    ...text("SessionId", message.sessionId),
    ...text("ReplyToSessionId", message.replyToSessionId),
    ...text("PartitionKey", message.partitionKey),
    ...text("ViaPartitionKey", message.viaPartitionKey),
    ...(message.timeToLive === undefined
      ? []
      : [{ name: "TimeToLive", type: "timespan", value: spanOf(message.timeToLive) }]),
    ...time("ScheduledEnqueueTime", message.scheduledEnqueueTime),
    ...text("ContentEncoding", message.contentEncoding),
    ...(message.userId === undefined ? [] : [{ name: "UserId", type: "bytes", value: hexOf(bytesOf(message.userId)) }]),
    ...time("CreationTime", message.creationTime),
    ...other("GroupSequence", "uint32", message.groupSequence),
    ...other("Priority", "uint32", message.priority),
    ...other("Durable", "bool", message.durable),
    ...other("FirstAcquirer", "bool", message.firstAcquirer),
  ];
}

export function rowsOf(properties: Properties | undefined): Row[] {
  // The API gives them in any order: by their names, so that two looks are alike.
  return Object.entries(properties ?? {})
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => {
      const { type, text } = shown(value);
      return { name, type, value: type === "null" ? "–" : text };
    });
}

export function PropertyTable({ caption, rows }: { caption: string; rows: Row[] }) {
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={(row) => row.name}
      columns={[
        { name: "Name", cell: (row) => <code class="words">{visible(row.name)}</code> },
        { name: "Type", isShort: true, cell: (row) => row.type },
        { name: "Value", cell: (row) => (typeof row.value === "string" ? <Named text={row.value} /> : row.value) },
      ]}
    />
  );
}

function Section({ title, rows }: { title: string; rows: Row[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <PropertyTable caption={title} rows={rows} />
    </>
  );
}

// `path`: where it is.
export function MessageParts({ path, of: received }: { path: string; of: ReceivedMessage }) {
  const { message } = received;
  const kind = message.bodyKind ?? "BODY_KIND_DATA";
  return (
    <div class="message">
      {received.unreadableReason && (
        <p class="failure" role="alert">
          The broker cannot read it: {received.unreadableReason}
        </p>
      )}
      <Facts
        of={[
          ["Number", received.sequenceNumber],
          ["State", received.availableAt ? "delayed" : enumWords(received.state, "MESSAGE_STATE_")],
          ["Enqueued", <Moment at={received.enqueuedTime} />],
          ["Expires", <Moment at={received.expiresAt} />],
          ["Failed deliveries", count(received.deliveryCount)],
          ["Size", bytes(received.size)],
          ...(received.availableAt
            ? [["Rests until", <Moment at={received.availableAt} />] as [string, ComponentChildren]]
            : []),
          ...(received.lockedUntil
            ? [["Locked until", <Moment at={received.lockedUntil} />] as [string, ComponentChildren]]
            : []),
          ...(received.enqueuedSequenceNumber
            ? [["First number", received.enqueuedSequenceNumber] as [string, ComponentChildren]]
            : []),
          ...(received.deadLetterSource
            ? [["Dead letter of", received.deadLetterSource] as [string, ComponentChildren]]
            : []),
        ]}
      />
      <Section title="Properties of the system" rows={systemRows(message)} />
      <Section title="Properties of the application" rows={rowsOf(message.applicationProperties)} />
      <Section title="Annotations" rows={rowsOf(message.annotations)} />
      <Section title="Footer" rows={rowsOf(message.footer)} />
      <h3>Body{kind !== "BODY_KIND_DATA" && `: AMQP, ${enumWords(kind, "BODY_KIND_")}`}</h3>
      <Body path={path} of={received} />
    </div>
  );
}
