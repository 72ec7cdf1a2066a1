// Scheduled: what is sent and not yet due, on a line of time and one by one; each can be enqueued at once, put off, and
// cancelled.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked, useDeed } from "../api/hooks";
import { may } from "../api/presence";
import type { ReceivedMessage } from "../api/types";
import { Until } from "../parts/clock";
import { Confirm } from "../parts/confirm";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { TimeField, timeOf } from "../parts/time_field";
import { MessageParts } from "../parts/message";
import { Moment } from "../parts/moment";
import { Named } from "../parts/named";
import { notice } from "../parts/notice";
import { Pager, pageOf } from "../parts/pager";
import { type Column, Table } from "../parts/table";
import { type Bucket, TimeLine, bucketsOf } from "../parts/time_line";
import { TokenPager, useTokens } from "../parts/token_pager";
import { count } from "../text/numbers";
import { localTime } from "../text/times";
import { peek } from "./browse";

const PACE = 3000;
const PAGE = 50;
// For the line of time, which shows the first of them.
const LINE_PACE = 15_000;
const LINE_PAGE = 250;
const LINE_PAGES_MAX = 20;

interface Listed {
  messages?: ReceivedMessage[];
  nextPageToken: string;
}

// What they say of themselves: a body is asked for where one is opened.
const list = (path: string, pageSize: number, pageToken: string, signal: AbortSignal) =>
  call<Listed>(
    "Messaging/ListScheduledMessages",
    { entityPath: path, pageSize, pageToken, withoutBodies: true },
    signal,
  );

interface Line {
  messages: ReceivedMessage[];
  buckets: Bucket[];
  isWhole: boolean;
}

const timeOfDue = (message: ReceivedMessage): number => new Date(message.message.scheduledEnqueueTime ?? 0).getTime();

async function lineOf(path: string, signal: AbortSignal): Promise<Line> {
  const messages: ReceivedMessage[] = [];
  let token = "";
  let pages = 0;
  do {
    const told = await list(path, LINE_PAGE, token, signal);
    messages.push(...(told.messages ?? []));
    token = told.nextPageToken;
    pages += 1;
  } while (token !== "" && pages < LINE_PAGES_MAX);
  return { messages, buckets: bucketsOf(messages.map(timeOfDue)), isWhole: token === "" };
}

interface Open {
  what: "look" | "cancel" | "reschedule";
  message: ReceivedMessage;
}

function Look({ path, number, close }: { path: string; number: string; close: () => void }) {
  const { data, failure } = useAsked(
    (signal) =>
      peek(path, { filter: "PEEK_FILTER_SCHEDULED", sqlFilter: "", sessionId: "", from: number }, number, 1, signal),
    [path, number],
  );
  const found = data?.messages?.find((message) => message.sequenceNumber === number);
  return (
    <Dialog title={`Message ${number}`} isWide close={close}>
      <Failure of={failure} />
      {found !== undefined && <MessageParts path={path} of={found} />}
      {data !== null && found === undefined && <p class="none">It is not scheduled any more.</p>}
    </Dialog>
  );
}

function Reschedule({ path, message, close }: { path: string; message: ReceivedMessage; close: () => void }) {
  const [at, setAt] = useState("");
  const { run, isRunning, failure } = useDeed(async () => {
    await call("Messaging/RescheduleMessages", {
      entityPath: path,
      sequenceNumbers: [message.sequenceNumber],
      scheduledEnqueueTime: timeOf(at),
    });
    notice(`Message ${message.sequenceNumber} comes at another time.`);
    close();
  });
  return (
    <Dialog title={`Another time for message ${message.sequenceNumber}`} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <TimeField label="Enqueue at" value={at} set={setAt} isRequired />
        <Failure of={failure} />
        <div class="buttons">
          <button type="submit" class="main" disabled={isRunning}>
            Move it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function Scheduled({ path }: { path: string }) {
  const tokens = useTokens();
  const [open, setOpen] = useState<Open | null>(null);
  const [chosen, setChosen] = useState<Bucket | null>(null);
  const [at, setAt] = useState(0);
  const page = useAsked((signal) => list(path, PAGE, tokens.token, signal), [path, tokens.token], PACE);
  const line = useAsked((signal) => lineOf(path, signal), [path, "line"], LINE_PACE);
  const again = () => {
    page.again();
    line.again();
  };
  const { data } = page;
  const inBar =
    chosen === null || line.data === null
      ? null
      : line.data.messages.filter((one) => timeOfDue(one) >= chosen.from && timeOfDue(one) < chosen.to);
  const activate = useDeed(async (number: string) => {
    await call("Messaging/ActivateScheduledMessages", { entityPath: path, sequenceNumbers: [number] });
    notice(`Message ${number} is enqueued.`);
    again();
  });
  const close = () => {
    setOpen(null);
    again();
  };
  const columns: Column<ReceivedMessage>[] = [
    {
      name: "Number",
      isNumber: true,
      cell: (message) => (
        <button
          type="button"
          class="link"
          aria-label={`Open message ${message.sequenceNumber}`}
          onClick={() => setOpen({ what: "look", message })}
        >
          {message.sequenceNumber}
        </button>
      ),
    },
    { name: "Due", cell: (message) => <Moment at={message.message.scheduledEnqueueTime} /> },
    { name: "In", isShort: true, cell: (message) => <Until at={message.message.scheduledEnqueueTime} /> },
    { name: "Message id", cell: (message) => <Named text={message.message.messageId} /> },
    { name: "Subject", cell: (message) => <Named text={message.message.subject} /> },
  ];
  if (may("Send", path)) {
    columns.push({
      name: "Deeds",
      cell: (message) => (
        <span class="buttons">
          <button
            type="button"
            onClick={() => activate.run(message.sequenceNumber)}
            aria-label={`Enqueue ${message.sequenceNumber} now`}
          >
            Now
          </button>
          <button
            type="button"
            onClick={() => setOpen({ what: "reschedule", message })}
            aria-label={`Another time for ${message.sequenceNumber}`}
          >
            Another time…
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => setOpen({ what: "cancel", message })}
            aria-label={`Cancel ${message.sequenceNumber}`}
          >
            Cancel…
          </button>
        </span>
      ),
    });
  }
  return (
    <section aria-label="Scheduled messages">
      <Failure of={page.failure ?? line.failure ?? activate.failure} />
      {line.data !== null && (
        <TimeLine
          title={line.data.isWhole ? "When they come" : `When the first ${count(line.data.messages.length)} come`}
          first={line.data.messages.length === 0 ? 0 : timeOfDue(line.data.messages[0])}
          buckets={line.data.buckets}
          noun="message"
          chosen={chosen?.from ?? null}
          choose={(bucket) => {
            setChosen(bucket);
            setAt(0);
          }}
        />
      )}
      {chosen !== null && (
        <p class="head">
          <span>
            Due from {localTime(new Date(chosen.from))} to {localTime(new Date(chosen.to))}
          </span>
          <button type="button" onClick={() => setChosen(null)}>
            Show all
          </button>
        </p>
      )}
      {data !== null && (
        <Table
          caption="Scheduled messages"
          columns={columns}
          rows={inBar === null ? (data.messages ?? []) : pageOf(inBar, at, PAGE)}
          keyOf={(message) => message.sequenceNumber}
          none="Nothing is scheduled."
        />
      )}
      {inBar !== null && <Pager total={inBar.length} size={PAGE} at={at} go={setAt} noun="messages" />}
      {inBar === null && <TokenPager tokens={tokens} next={data?.nextPageToken ?? ""} noun="scheduled messages" />}
      {open?.what === "look" && <Look path={path} number={open.message.sequenceNumber} close={close} />}
      {open?.what === "reschedule" && <Reschedule path={path} message={open.message} close={close} />}
      {open?.what === "cancel" && (
        <Confirm
          title={`Cancel message ${open.message.sequenceNumber}?`}
          verb="Cancel 1 scheduled message"
          close={close}
          deed={async () => {
            await call("Messaging/CancelScheduledMessages", {
              entityPath: path,
              sequenceNumbers: [open.message.sequenceNumber],
            });
            notice(`Message ${open.message.sequenceNumber} is cancelled.`);
          }}
        >
          <p>This removes 1 scheduled message of {path} for good.</p>
        </Confirm>
      )}
    </section>
  );
}
