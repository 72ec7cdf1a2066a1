// Scheduled: what is sent and not yet due, by its time; each can be enqueued at once, put off, and cancelled.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked, useDeed } from "../api/hooks";
import { may } from "../api/presence";
import type { ReceivedMessage } from "../api/types";
import { Confirm } from "../parts/confirm";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Field } from "../parts/field";
import { MessageParts } from "../parts/message";
import { Moment } from "../parts/moment";
import { notice } from "../parts/notice";
import { type Column, Table } from "../parts/table";
import { TokenPager, useTokens } from "../parts/token_pager";
import { span } from "../text/numbers";

const PACE = 3000;
const PAGE = 50;

interface Open {
  what: "look" | "cancel" | "reschedule";
  message: ReceivedMessage;
}

function Reschedule({ path, message, close }: { path: string; message: ReceivedMessage; close: () => void }) {
  const [at, setAt] = useState("");
  const { run, isRunning, failure } = useDeed(async () => {
    const time = new Date(at);
    if (Number.isNaN(time.getTime())) throw new Error("say when");
    await call("Messaging/RescheduleMessages", {
      entityPath: path,
      sequenceNumbers: [message.sequenceNumber],
      scheduledEnqueueTime: time.toISOString(),
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
        <Field
          label="Enqueue at"
          hint="In your zone"
          value={at}
          set={setAt}
          input={{ type: "datetime-local", required: true }}
        />
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

function dueIn(message: ReceivedMessage): string {
  const at = message.message.scheduledEnqueueTime;
  if (at === undefined) return "–";
  const seconds = Math.round((new Date(at).getTime() - Date.now()) / 1000);
  return seconds <= 0 ? "now" : span(seconds);
}

export function Scheduled({ path }: { path: string }) {
  const tokens = useTokens();
  const [open, setOpen] = useState<Open | null>(null);
  const { data, failure, again } = useAsked(
    (signal) =>
      call<{ messages?: ReceivedMessage[]; nextPageToken: string }>(
        "Messaging/ListScheduledMessages",
        { entityPath: path, pageSize: PAGE, pageToken: tokens.token },
        signal,
      ),
    [path, tokens.token],
    PACE,
  );
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
    { name: "In", cell: dueIn },
    { name: "Message id", cell: (message) => message.message.messageId ?? "–" },
    { name: "Subject", cell: (message) => message.message.subject ?? "–" },
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
      <Failure of={failure ?? activate.failure} />
      {data !== null && (
        <Table
          caption="Scheduled messages"
          columns={columns}
          rows={data.messages ?? []}
          keyOf={(message) => message.sequenceNumber}
          none="Nothing is scheduled."
        />
      )}
      {data !== null && <TokenPager tokens={tokens} next={data.nextPageToken} noun="scheduled messages" />}
      {open?.what === "look" && (
        <Dialog title={`Message ${open.message.sequenceNumber}`} isWide close={close}>
          <MessageParts of={open.message} />
        </Dialog>
      )}
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
