// Browse: looks at messages without touching them: by state, session, number and SQL filter; opens one; takes them home
// as JSON Lines.

import { useEffect, useRef, useState } from "preact/hooks";

import { call } from "../api/call";
import { useBack, useDeed } from "../api/hooks";
import { DEAD_LETTERS } from "../api/paths";
import { may } from "../api/presence";
import type { ReceivedMessage } from "../api/types";
import { Failure } from "../parts/failure";
import { Choice, Field } from "../parts/field";
import { Moment } from "../parts/moment";
import { Named } from "../parts/named";
import { Table } from "../parts/table";
import { bytes, count, counted } from "../text/numbers";
import { enumWords } from "../text/words";
import { JobDialog } from "./job_dialog";
import { MessageDialog } from "./message_dialog";
import { saveMessages } from "./save_messages";

const ROWS = 50;
// Of pages without a message that a filter lets through: so many are asked for at one go.
const EMPTY_PAGES_MAX = 20;

export interface Wanted {
  filter: string;
  sqlFilter: string;
  sessionId: string;
  from: string;
}

export interface Peeked {
  messages?: ReceivedMessage[];
  nextSequenceNumber?: string;
}

export function peek(
  path: string,
  wanted: Wanted,
  from: string,
  maxMessages: number,
  signal?: AbortSignal,
  withoutBodies = false,
): Promise<Peeked> {
  return call(
    "Messaging/Peek",
    {
      entityPath: path,
      fromSequenceNumber: from,
      maxMessages,
      filter: wanted.filter,
      sqlFilter: wanted.sqlFilter,
      withoutBodies,
      ...(wanted.sessionId === "" ? {} : { sessionId: wanted.sessionId }),
    },
    signal,
  );
}

// The number that is meant, in the one form that everybody reads alike: "0009" and "+9" are 9.
export function firstNumberOf(text: string): string {
  const [, digits] = /^\s*\+?(\d*)\s*$/.exec(text) ?? [];
  if (digits === undefined) throw new Error(`"${text}" is no number of a message`);
  return BigInt(digits).toString();
}

// The same search as a filter alone, as jobs take it.
function filterOf({ sqlFilter, sessionId, from }: Wanted): string {
  const session = sessionId === "" ? "" : `sys.SessionId = '${sessionId.replaceAll("'", "''")}'`;
  const number = from === "0" ? "" : `sys.SequenceNumber >= ${from}`;
  const parts = [sqlFilter.trim(), session, number].filter((part) => part !== "");
  return parts.length > 1 ? parts.map((part) => `(${part})`).join(" AND ") : (parts[0] ?? "");
}

interface Page {
  from: string;
  messages: ReceivedMessage[];
  next: string | null;
}

async function pageFrom(path: string, wanted: Wanted, from: string): Promise<Page> {
  let at = from;
  for (let pages = 0; pages < EMPTY_PAGES_MAX; pages += 1) {
    const { messages = [], nextSequenceNumber } = await peek(path, wanted, at, ROWS);
    if (messages.length > 0 || nextSequenceNumber === undefined)
      return { from, messages, next: nextSequenceNumber ?? null };
    at = nextSequenceNumber;
  }
  return { from, messages: [], next: at };
}

const FILTERS: [string, string][] = [
  ["PEEK_FILTER_ALL", "all"],
  ["PEEK_FILTER_ACTIVE", "active"],
  ["PEEK_FILTER_DELAYED", "delayed"],
  ["PEEK_FILTER_DEFERRED", "deferred"],
  ["PEEK_FILTER_SCHEDULED", "scheduled"],
  ["PEEK_FILTER_QUARANTINED", "in quarantine"],
];

// In which what waits is shown.
const OF_WAITING = new Set(["PEEK_FILTER_ALL", "PEEK_FILTER_ACTIVE"]);

export function stateWords(message: ReceivedMessage): string {
  if (message.availableAt !== undefined) return "delayed";
  return enumWords(message.state, "MESSAGE_STATE_");
}

const START: Wanted = { filter: "PEEK_FILTER_ALL", sqlFilter: "", sessionId: "", from: "0" };

// `number`: of the message that is to be shown first, if it is still there.
export function Browse({ path, number }: { path: string; number?: string }) {
  const [wanted, setWanted] = useState({ ...START, from: number ?? START.from });
  // What was asked for; its pages so far, so that one can go back.
  const [asked, setAsked] = useState<Wanted | null>(null);
  const [pages, setPages] = useState<Page[]>([]);
  const [open, setOpen] = useState<ReceivedMessage | null>(null);
  const [job, setJob] = useState<"" | "Delete" | "Redrive">("");
  const set = (part: Partial<Wanted>) => setWanted((all) => ({ ...all, ...part }));
  const page = pages.at(-1);

  const asks = useRef(0);
  // Whether nothing else was asked for since: that is shown then, and jobs take it, though this answer may come behind.
  const browse = async (): Promise<boolean> => {
    asks.current += 1;
    const ask = asks.current;
    const exact = { ...wanted, from: firstNumberOf(wanted.from) };
    const first = await pageFrom(path, exact, exact.from);
    if (ask !== asks.current) return false;
    setAsked(exact);
    setPages([first]);
    return true;
  };
  const search = useDeed(async () => void (await browse()));
  // What is written is on the screen then, or refused.
  const select = useDeed(async (verb: "Delete" | "Redrive") => {
    if (await browse()) setJob(verb);
  });
  const selected = asked === null ? "" : filterOf(asked);
  const takesState = OF_WAITING.has(wanted.filter);
  // Who comes here wants to see what there is.
  useEffect(() => {
    void search.run();
  }, [path]);
  const isAsked = useRef(number !== undefined);
  useEffect(() => {
    const [first] = page?.messages ?? [];
    if (isAsked.current && first?.sequenceNumber === number) setOpen(first);
    if (page !== undefined) isAsked.current = false;
  }, [page]);
  const more = useDeed(async () => {
    if (asked === null || page?.next == null) return;
    const next = await pageFrom(path, asked, page.next);
    setPages((all) => [...all, next]);
  });
  const again = useDeed(async () => {
    if (asked === null || page === undefined) return;
    const fresh = await pageFrom(path, asked, page.from);
    setPages((all) => [...all.slice(0, -1), fresh]);
  });
  useBack(() => void (page === undefined ? search : again).run());
  const [saved, setSaved] = useState(0);
  const save = useDeed(() => saveMessages(path, wanted, setSaved));

  return (
    <section aria-label="Messages">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void search.run();
        }}
      >
        <Choice label="State" value={wanted.filter} set={(filter) => set({ filter })} options={FILTERS} />
        <Field
          label="SQL filter"
          hint="color = 'red' AND sys.DeliveryCount > 2"
          value={wanted.sqlFilter}
          set={(sqlFilter) => set({ sqlFilter })}
          input={{ type: "search" }}
        />
        <Field label="Session" value={wanted.sessionId} set={(sessionId) => set({ sessionId })} />
        <Field label="From number" value={wanted.from} set={(from) => set({ from })} input={{ inputMode: "numeric" }} />
        <div class="buttons">
          <button type="submit" class="main" disabled={search.isRunning}>
            Browse
          </button>
          <button type="button" disabled={save.isRunning} onClick={() => save.run()}>
            {save.isRunning ? `${count(saved)} so far…` : "Download as JSON Lines"}
          </button>
          {may("Manage", path) && path.endsWith(DEAD_LETTERS) && (
            <button type="button" disabled={!takesState || select.isRunning} onClick={() => select.run("Redrive")}>
              Redrive what waits…
            </button>
          )}
          {may("Manage", path) && (
            <button
              type="button"
              class="danger"
              disabled={!takesState || select.isRunning}
              onClick={() => select.run("Delete")}
            >
              Delete what waits…
            </button>
          )}
        </div>
        {may("Manage", path) && !takesState && (
          <p class="hint">What waits can be taken together where the state is all or active, others one by one.</p>
        )}
      </form>
      <Failure of={search.failure ?? select.failure ?? more.failure ?? again.failure ?? save.failure} />
      {page !== undefined && (
        <>
          <Table
            caption="Messages"
            rows={page.messages}
            keyOf={(message) => message.sequenceNumber}
            none={
              page.next === null
                ? "There are no such messages."
                : `None up to number ${page.next}; there is more behind it.`
            }
            columns={[
              {
                name: "Number",
                isNumber: true,
                cell: (message) => (
                  <button
                    type="button"
                    class="link"
                    onClick={() => setOpen(message)}
                    aria-label={`Open message ${message.sequenceNumber}`}
                  >
                    {message.sequenceNumber}
                  </button>
                ),
              },
              { name: "Message id", cell: (message) => <Named text={message.message.messageId} isCut /> },
              { name: "Subject", cell: (message) => <Named text={message.message.subject} isCut /> },
              { name: "Session", cell: (message) => <Named text={message.message.sessionId} /> },
              { name: "State", isShort: true, cell: stateWords },
              { name: "Enqueued", cell: (message) => <Moment at={message.enqueuedTime} /> },
              { name: "Failed deliveries", isNumber: true, cell: (message) => count(message.deliveryCount) },
              { name: "Size", isNumber: true, cell: (message) => bytes(message.size) },
            ]}
          />
          <nav class="pager" aria-label="Pages of messages">
            <span aria-live="polite">
              {counted(page.messages.length, "message")} here{page.next === null && ", and nothing behind"}
            </span>
            <button type="button" disabled={pages.length < 2} onClick={() => setPages((all) => all.slice(0, -1))}>
              Previous
            </button>
            <button type="button" disabled={page.next === null || more.isRunning} onClick={() => more.run()}>
              Next
            </button>
          </nav>
        </>
      )}
      {open !== null && (
        <MessageDialog
          path={path}
          message={open}
          close={() => setOpen(null)}
          changed={() => {
            setOpen(null);
            void again.run();
          }}
        />
      )}
      {job !== "" && asked !== null && (
        <JobDialog
          verb={job}
          done={job === "Delete" ? "deleted" : "redriven"}
          what={`what waits in ${path}${selected && ` and satisfies ${selected}`}`}
          method={job === "Delete" ? "Management/StartDeleteMessages" : "Management/StartRedrive"}
          takesTarget={job === "Redrive"}
          request={{ entityPath: path, selection: selected === "" ? {} : { sqlFilter: selected } }}
          close={() => {
            setJob("");
            void again.run();
          }}
        />
      )}
    </section>
  );
}
