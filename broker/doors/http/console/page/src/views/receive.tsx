// Receive: takes messages with a lock, and settles them by hand. Where there are sessions one is accepted first.

import { useEffect, useId, useState } from "preact/hooks";

import { call } from "../api/call";
import { useDeed } from "../api/hooks";
import { DEAD_LETTERS } from "../api/paths";
import type { ReceivedMessage } from "../api/types";
import { Confirm } from "../parts/confirm";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Check, Choice, Field } from "../parts/field";
import { MessageParts } from "../parts/message";
import { Moment } from "../parts/moment";
import { Named } from "../parts/named";
import { notice } from "../parts/notice";
import { counted, durationOf, span } from "../text/numbers";
import { type Held, type HeldSession, hold, holdSession, needRoom, release, renewed, useHeld } from "./held";
import { SessionState } from "./session_state";
import { SettleDialog } from "./settle_dialog";

const MESSAGES_MAX = 250;
const WAIT_MAX_SECONDS = 60;

function waitOf(text: string): string {
  const wait = durationOf(text);
  if (Number.parseFloat(wait) > WAIT_MAX_SECONDS) throw new Error(`the page waits for ${WAIT_MAX_SECONDS} s at most`);
  return wait;
}

// Seconds until then, told each second.
function useSecondsUntil(time: string | undefined): number {
  const left = () => (time === undefined ? 0 : Math.max(0, Math.round((new Date(time).getTime() - Date.now()) / 1000)));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    setSeconds(left());
    const timer = window.setInterval(() => setSeconds(left()), 1000);
    return () => window.clearInterval(timer);
  }, [time]);
  return seconds;
}

function LockLeft({ until }: { until: string | undefined }) {
  const seconds = useSecondsUntil(until);
  if (until === undefined) return null;
  return (
    <span class={seconds === 0 ? "ended" : ""}>
      {seconds === 0 ? "the lock is over" : `locked for ${span(seconds)}`}
    </span>
  );
}

function HeldMessage({
  held,
  mayDeadLetter,
  isOfSession,
}: {
  held: Held;
  mayDeadLetter: boolean;
  isOfSession: boolean;
}) {
  const { message, path } = held;
  const [open, setOpen] = useState<"" | "look" | "dead-letter" | "otherwise">("");
  const token = message.lockToken;
  const settle = async (verb: object, done: string) => {
    await call("Messaging/Settle", { entityPath: path, settlement: { lockTokens: [token], ...verb } });
    release([token]);
    notice(`Message ${message.sequenceNumber} is ${done}.`);
  };
  const complete = useDeed(() => settle({ complete: {} }, "completed"));
  const abandon = useDeed(() => settle({ abandon: {} }, "abandoned"));
  const defer = useDeed(() => settle({ defer: {} }, "deferred"));
  const giveBack = useDeed(() => settle({ release: {} }, "released"));
  const renew = useDeed(async () => {
    const { results = [] } = await call<{ results?: { lockedUntil?: string }[] }>("Messaging/RenewLock", {
      entityPath: path,
      lockTokens: [token],
    });
    if (token && results[0]?.lockedUntil) renewed(token, results[0].lockedUntil);
  });
  const number = message.sequenceNumber;
  return (
    <li class="card held">
      <p>
        <button type="button" class="link" onClick={() => setOpen("look")} aria-label={`Open message ${number}`}>
          {number}
        </button>{" "}
        {(message.message.subject ?? message.message.messageId) !== undefined && (
          <strong>
            <Named text={message.message.subject ?? message.message.messageId} />
          </strong>
        )}{" "}
        <LockLeft until={message.lockedUntil} />
        {path.endsWith(DEAD_LETTERS) && <span class="badge">dead letter</span>}
      </p>
      <div class="buttons" role="group" aria-label={`Settle message ${number}`}>
        <button type="button" class="main" onClick={() => complete.run()}>
          Complete
        </button>
        <button type="button" onClick={() => abandon.run()}>
          Abandon
        </button>
        <button type="button" onClick={() => defer.run()}>
          Defer
        </button>
        {mayDeadLetter && (
          <button type="button" onClick={() => setOpen("dead-letter")}>
            Dead-letter…
          </button>
        )}
        <button type="button" onClick={() => setOpen("otherwise")}>
          Later, or changed…
        </button>
        <button type="button" onClick={() => giveBack.run()}>
          Give back
        </button>
        {!isOfSession && (
          <button type="button" onClick={() => renew.run()}>
            Renew the lock
          </button>
        )}
        <button type="button" class="quiet" onClick={() => release([token])}>
          Forget it here
        </button>
      </div>
      <Failure of={complete.failure ?? abandon.failure ?? defer.failure ?? giveBack.failure ?? renew.failure} />
      {open === "look" && (
        <Dialog title={`Message ${number}`} isWide close={() => setOpen("")}>
          <MessageParts path={path} of={message} />
        </Dialog>
      )}
      {open === "dead-letter" && <SettleDialog verbs={["deadLetter"]} close={() => setOpen("")} settle={settle} />}
      {open === "otherwise" && (
        <SettleDialog
          verbs={mayDeadLetter ? ["abandon", "defer", "deadLetter"] : ["abandon", "defer"]}
          close={() => setOpen("")}
          settle={settle}
        />
      )}
    </li>
  );
}

function SessionPart({ path, session }: { path: string; session: HeldSession | null }) {
  const [id, setId] = useState("");
  const [wait, setWait] = useState("0s");
  const [isStateShown, setStateShown] = useState(false);
  const accept = useDeed(async () => {
    const told = await call<HeldSession>("Sessions/AcceptSession", {
      entityPath: path,
      ...(id === "" ? { maxWait: waitOf(wait) } : { sessionId: id }),
    });
    holdSession(path, told);
  });
  const renew = useDeed(async () => {
    const { lockedUntil } = await call<{ lockedUntil: string }>("Sessions/RenewSessionLock", {
      entityPath: path,
      sessionLockToken: session!.sessionLockToken,
    });
    holdSession(path, { ...session!, lockedUntil });
  });
  const giveUp = useDeed(async () => {
    await call("Sessions/ReleaseSession", { entityPath: path, sessionLockToken: session!.sessionLockToken });
    holdSession(path, null);
  });
  if (session === null) {
    return (
      <div class="filters">
        <Field label="Session" hint="Empty: the next one that has messages" value={id} set={setId} />
        {id === "" && <Field label="Wait for one" hint={`Up to ${WAIT_MAX_SECONDS}s`} value={wait} set={setWait} />}
        <div class="buttons">
          <button type="button" class="main" onClick={() => accept.run()} disabled={accept.isRunning}>
            Accept the session
          </button>
        </div>
        <Failure of={accept.failure} />
      </div>
    );
  }
  return (
    <div>
      <p>
        Session{" "}
        <strong>
          <Named text={session.sessionId} />
        </strong>
        , <LockLeft until={session.lockedUntil} />, until <Moment at={session.lockedUntil} />
      </p>
      <div class="buttons">
        <button type="button" onClick={() => renew.run()}>
          Renew its lock
        </button>
        <button type="button" onClick={() => giveUp.run()}>
          Release it
        </button>
        <button type="button" onClick={() => setStateShown(true)}>
          Its state…
        </button>
        <button type="button" class="quiet" onClick={() => holdSession(path, null)}>
          Forget it here
        </button>
      </div>
      <Failure of={renew.failure ?? giveUp.failure} />
      {isStateShown && <SessionState path={path} session={session} close={() => setStateShown(false)} />}
    </div>
  );
}

export function Receive({ path, requiresSession }: { path: string; requiresSession: boolean }) {
  const { messages, session } = useHeld(path);
  const [lane, setLane] = useState(path);
  const [max, setMax] = useState("1");
  const [wait, setWait] = useState("0s");
  const [isDeleted, setDeleted] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [taken, setTaken] = useState<ReceivedMessage[]>([]);
  const [open, setOpen] = useState<ReceivedMessage | null>(null);
  const isOfSessions = lane === path && (requiresSession || session !== null);
  const lacksSession = isOfSessions && session === null;
  const reason = useId();

  const receive = async () => {
    setTaken([]);
    const maxMessages = Number(max);
    if (!Number.isInteger(maxMessages) || maxMessages < 1 || maxMessages > MESSAGES_MAX)
      throw new Error(`1 to ${MESSAGES_MAX} messages come at a time`);
    const maxWait = waitOf(wait);
    if (!isDeleted) needRoom(maxMessages);
    const told = await call<{ messages?: ReceivedMessage[] }>("Messaging/Receive", {
      entityPath: lane,
      maxMessages,
      maxWait,
      mode: isDeleted ? "RECEIVE_MODE_RECEIVE_AND_DELETE" : "RECEIVE_MODE_PEEK_LOCK",
      ...(isOfSessions && session !== null ? { sessionLockToken: session.sessionLockToken } : {}),
    });
    const got = told.messages ?? [];
    if (isDeleted) setTaken(got);
    else hold(lane, got);
    notice(got.length === 0 ? "Nothing was there." : `${counted(got.length, "message")} received.`);
  };
  const deed = useDeed(receive);
  return (
    <section aria-label="Receive">
      {(requiresSession || session !== null) && lane === path && (
        <div class="card">
          <h2>Session</h2>
          <SessionPart path={path} session={session} />
        </div>
      )}
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (isDeleted) setAsking(true);
          else void deed.run();
        }}
      >
        <Choice
          label="From"
          value={lane}
          set={setLane}
          options={[
            [path, "the entity"],
            [path + DEAD_LETTERS, "its dead-letter queue"],
          ]}
        />
        <Field
          label="How many at most"
          value={max}
          set={setMax}
          input={{ type: "number", min: "1", max: String(MESSAGES_MAX) }}
        />
        <Field label="Wait for" hint={`Up to ${WAIT_MAX_SECONDS}s`} value={wait} set={setWait} />
        <Check
          label="Delete them at once"
          hint="Receive and delete: without a lock, and they are gone"
          value={isDeleted}
          set={setDeleted}
        />
        <div class="buttons">
          <button
            type="submit"
            class={isDeleted ? "danger" : "main"}
            disabled={deed.isRunning || lacksSession}
            aria-describedby={lacksSession ? reason : undefined}
          >
            {isDeleted ? "Receive and delete…" : "Receive"}
          </button>
          {lacksSession && (
            <span id={reason} class="hint">
              Accept a session first.
            </span>
          )}
        </div>
      </form>
      <Failure of={deed.failure} />
      {isAsking && (
        <Confirm
          title="Receive and delete?"
          verb={`Receive and delete up to ${counted(max, "message")}`}
          deed={receive}
          close={() => setAsking(false)}
        >
          <p>
            This removes up to {counted(max, "message")} of {lane} for good, and shows them here once.
          </p>
        </Confirm>
      )}
      {taken.length > 0 && (
        <ul class="results" aria-label="Received and deleted">
          {taken.map((message) => (
            <li key={message.sequenceNumber}>
              <button type="button" class="link" onClick={() => setOpen(message)}>
                Message {message.sequenceNumber}
              </button>
            </li>
          ))}
        </ul>
      )}
      {open !== null && (
        <Dialog title={`Message ${open.sequenceNumber}`} isWide close={() => setOpen(null)}>
          <MessageParts path={lane} of={open} />
        </Dialog>
      )}
      <h2>Held by this page: {messages.length}</h2>
      {messages.length === 0 && (
        <p class="none">What is received waits here until it is settled; its lock ends by itself.</p>
      )}
      <ul class="plain">
        {messages.map((held) => (
          <HeldMessage
            key={held.message.lockToken}
            held={held}
            mayDeadLetter={!held.path.endsWith(DEAD_LETTERS)}
            isOfSession={session !== null && held.path === path}
          />
        ))}
      </ul>
    </section>
  );
}
