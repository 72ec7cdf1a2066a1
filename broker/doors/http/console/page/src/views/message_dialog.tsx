// MessageDialog: one message that was looked at, and what may be done with it by its number.

import { useState } from "preact/hooks";

import { CALL_BYTES_MAX, fetchBody } from "../api/body";
import { call } from "../api/call";
import { useDeed } from "../api/hooks";
import { DEAD_LETTERS } from "../api/paths";
import { may } from "../api/presence";
import { go } from "../api/route";
import type { ReceivedMessage } from "../api/types";
import { Confirm } from "../parts/confirm";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { MessageParts } from "../parts/message";
import { notice } from "../parts/notice";
import { hold, needRoom } from "./held";
import { JobDialog } from "./job_dialog";
import { keepDraft } from "./draft";

interface MessageDialogProps {
  path: string;
  message: ReceivedMessage;
  close: () => void;
  // It is not as it was.
  changed: () => void;
}

type Open = "" | "complete" | "redrive" | "cancel" | "dead-letter";

export function MessageDialog({ path, message, close, changed }: MessageDialogProps) {
  const [open, setOpen] = useState<Open>("");
  const number = message.sequenceNumber;
  const isDeadLetter = path.endsWith(DEAD_LETTERS);
  const state = message.state;
  const isWaiting = state === "MESSAGE_STATE_ACTIVE";
  const isScheduled = state === "MESSAGE_STATE_SCHEDULED";
  const isDeferred = state === "MESSAGE_STATE_DEFERRED";
  const source = isDeadLetter ? path.slice(0, -DEAD_LETTERS.length) : path;
  const one = { entityPath: path, sequenceNumbers: [number] };

  const settle = async (verb: object) => {
    await call("Messaging/SettleBySequenceNumber", { entityPath: path, sequenceNumber: number, ...verb });
    changed();
  };
  const receive = useDeed(async () => {
    const method = isDeferred ? "ReceiveDeferred" : "ReceiveBySequenceNumber";
    const request = isDeferred ? one : { entityPath: path, sequenceNumber: number };
    needRoom(1);
    const { messages = [] } = await call<{ messages?: ReceivedMessage[] }>(`Messaging/${method}`, request);
    hold(path, messages);
    close();
    go("entity", source, "receive");
  });
  const undefer = useDeed(async () => {
    await call("Messaging/UndeferMessages", one);
    notice(`Message ${number} is available again.`);
    changed();
  });
  const activate = useDeed(async () => {
    await call("Messaging/ActivateScheduledMessages", one);
    notice(`Message ${number} is enqueued.`);
    changed();
  });
  const copy = useDeed(async () => {
    const isLarge = !message.message.body && Number(message.size) > CALL_BYTES_MAX;
    const name = `the body of message ${number}`;
    keepDraft(message.message, isLarge ? new File([await fetchBody(path, number)], name) : null);
    close();
    go("entity", source, "send");
  });
  const mayListen = may("Listen", path) && message.unreadableReason === undefined;
  const isSendable =
    !source.includes("/Subscriptions/") && may("Send", source) && message.unreadableReason === undefined;

  return (
    <Dialog title={`Message ${number}`} close={close} isWide>
      <MessageParts path={path} of={message} />
      <Failure of={receive.failure ?? undefer.failure ?? activate.failure ?? copy.failure} />
      <div class="buttons">
        {may("Listen", source) && (
          <button
            type="button"
            onClick={() => {
              close();
              go("find", number, source);
            }}
          >
            Its story
          </button>
        )}
        {mayListen && (isWaiting || isDeferred) && (
          <button type="button" onClick={() => receive.run()} disabled={receive.isRunning}>
            Lock it and settle by hand
          </button>
        )}
        {mayListen && isDeferred && (
          <button type="button" onClick={() => undefer.run()} disabled={undefer.isRunning}>
            Make it available
          </button>
        )}
        {isScheduled && may("Send", path) && (
          <button type="button" onClick={() => activate.run()} disabled={activate.isRunning}>
            Enqueue it now
          </button>
        )}
        {isSendable && (
          <button type="button" onClick={() => copy.run()} disabled={copy.isRunning}>
            Send a copy…
          </button>
        )}
        {isDeadLetter && may("Manage", path) && (
          <button type="button" onClick={() => setOpen("redrive")}>
            Redrive…
          </button>
        )}
        {mayListen && isWaiting && !isDeadLetter && (
          <button type="button" class="danger" onClick={() => setOpen("dead-letter")}>
            Dead-letter…
          </button>
        )}
        {may("Listen", path) && !isScheduled && (
          <button type="button" class="danger" onClick={() => setOpen("complete")}>
            Complete…
          </button>
        )}
        {isScheduled && may("Send", path) && (
          <button type="button" class="danger" onClick={() => setOpen("cancel")}>
            Cancel it…
          </button>
        )}
      </div>
      {open === "complete" && (
        <Confirm
          title={`Complete message ${number}?`}
          verb="Complete 1 message"
          close={() => setOpen("")}
          deed={() => settle({ complete: {} })}
        >
          <p>This removes 1 message of {path} for good.</p>
        </Confirm>
      )}
      {open === "dead-letter" && (
        <Confirm
          title={`Dead-letter message ${number}?`}
          verb="Dead-letter 1 message"
          close={() => setOpen("")}
          deed={() => settle({ deadLetter: { reason: "Console", description: "By hand, from the console" } })}
        >
          <p>This puts 1 message into the dead-letter queue of {path}, with the reason “Console”.</p>
        </Confirm>
      )}
      {open === "cancel" && (
        <Confirm
          title={`Cancel message ${number}?`}
          verb="Cancel 1 scheduled message"
          close={() => setOpen("")}
          deed={async () => {
            await call("Messaging/CancelScheduledMessages", one);
            changed();
          }}
        >
          <p>This removes 1 scheduled message of {path} for good.</p>
        </Confirm>
      )}
      {open === "redrive" && (
        <JobDialog
          verb="Redrive"
          done="redriven"
          what={`message ${number} of ${path}`}
          method="Management/StartRedrive"
          takesTarget
          isExact
          request={{ entityPath: path, selection: { sequenceNumbers: [number] } }}
          close={changed}
        />
      )}
    </Dialog>
  );
}
