// Sessions: what waits in each, who holds it and since when, and how large its state is; the deepest first, if asked.

import { useMemo, useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked, useDeed } from "../api/hooks";
import { may } from "../api/presence";
import type { Lock, SessionProperties } from "../api/types";
import { Confirm } from "../parts/confirm";
import { Failure } from "../parts/failure";
import { Choice } from "../parts/field";
import { Moment } from "../parts/moment";
import { notice } from "../parts/notice";
import { type Column, type Order, Table, sorted } from "../parts/table";
import { TokenPager, useTokens } from "../parts/token_pager";
import { bytes, count, numberOf } from "../text/numbers";
import { holderWords } from "./locks";

const PACE = 3000;
const SIZES = [50, 250, 1000];
// Of one call.
const PAGE_MAX = 250;
const LOCKS_MAX = 1000;

interface Depths {
  sessions?: { sessionId: string; messageCount: string }[];
  asOf?: string;
}

function Deepest({ path }: { path: string }) {
  const [told, setTold] = useState<Depths | null>(null);
  const { run, isRunning, failure } = useDeed(async () =>
    setTold(await call<Depths>("Sessions/ListDeepestSessions", { entityPath: path, maxSessions: 20 })),
  );
  return (
    <div class="card">
      <div class="head">
        <h2>The deepest</h2>
        <button type="button" onClick={() => run()} disabled={isRunning}>
          {isRunning ? "Counting…" : "Count all sessions"}
        </button>
      </div>
      <Failure of={failure} />
      {told !== null && (
        <>
          <Table
            caption="The deepest sessions"
            rows={told.sessions ?? []}
            keyOf={(row) => row.sessionId}
            none="No session has a message."
            columns={[
              { name: "Session", cell: (row) => <span class="text">{row.sessionId}</span> },
              { name: "Messages", isNumber: true, cell: (row) => count(row.messageCount) },
            ]}
          />
          <p class="hint">
            As of <Moment at={told.asOf} />
          </p>
        </>
      )}
    </div>
  );
}

interface Row extends SessionProperties {
  // Where it is held, and that is known.
  holder?: Lock["holder"];
}

interface Listed {
  sessions: Row[];
  nextPageToken: string;
}

// As many as wanted, in as many calls as it takes.
async function sessionsOf(path: string, wanted: number, from: string, signal: AbortSignal): Promise<Listed> {
  const sessions: Row[] = [];
  let pageToken = from;
  do {
    const told = await call<{ sessions?: SessionProperties[]; nextPageToken: string }>(
      "Sessions/ListSessions",
      { entityPath: path, pageSize: Math.min(PAGE_MAX, wanted - sessions.length), pageToken },
      signal,
    );
    sessions.push(...(told.sessions ?? []));
    pageToken = told.nextPageToken;
  } while (pageToken !== "" && sessions.length < wanted);
  return { sessions, nextPageToken: pageToken };
}

async function list(path: string, wanted: number, from: string, signal: AbortSignal): Promise<Listed> {
  const [told, holders] = await Promise.all([
    sessionsOf(path, wanted, from, signal),
    may("Manage", path) ? holdersOf(path, signal) : new Map(),
  ]);
  for (const row of told.sessions) {
    if (row.lockedUntil !== undefined && holders.has(row.sessionId)) row.holder = holders.get(row.sessionId);
  }
  return told;
}

// Who holds a session holds its messages.
async function holdersOf(path: string, signal: AbortSignal): Promise<Map<string, Lock["holder"]>> {
  const { locks = [] } = await call<{ locks?: Lock[] }>(
    "Management/ListLocks",
    { entityPath: path, pageSize: LOCKS_MAX },
    signal,
  );
  return new Map(
    locks.flatMap(({ sessionId, holder }) => (sessionId !== undefined && holder ? [[sessionId, holder]] : [])),
  );
}

function holder(row: Row) {
  if (!row.lockedUntil) return "nobody";
  return row.holder === undefined ? (
    <span class="text">somebody, who has no message of it</span>
  ) : (
    <span class="text">{holderWords(row.holder)}</span>
  );
}

const depthOf = (row: SessionProperties): number => numberOf(row.messageCount) + (row.hasMoreMessages ? 1 : 0);

const COLUMNS: Column<Row>[] = [
  { name: "Session", by: (row) => row.sessionId, cell: (row) => <span class="text">{row.sessionId}</span> },
  {
    name: "Messages",
    isNumber: true,
    by: depthOf,
    cell: (row) => `${count(row.messageCount)}${row.hasMoreMessages ? " or more" : ""}`,
  },
  {
    name: "Oldest",
    by: (row) => row.oldestEnqueuedTime ?? "",
    cell: (row) => (row.oldestEnqueuedTime ? <Moment at={row.oldestEnqueuedTime} /> : "–"),
  },
  { name: "Holder", by: (row) => row.lockedUntil ?? "", cell: holder },
  { name: "Held since", cell: (row) => (row.lockedUntil ? <Moment at={row.lockedSince} /> : "–") },
  { name: "Held until", cell: (row) => (row.lockedUntil ? <Moment at={row.lockedUntil} /> : "–") },
  {
    name: "State",
    isNumber: true,
    by: (row) => numberOf(row.stateSize),
    cell: (row) => (row.stateSize === undefined ? "none" : bytes(row.stateSize)),
  },
];

const deeds = (take: (row: Row) => void): Column<Row> => ({
  name: "Deeds",
  cell: (row) =>
    row.lockedUntil ? (
      <button type="button" class="danger" onClick={() => take(row)} aria-label={`Take away session ${row.sessionId}`}>
        Take away…
      </button>
    ) : (
      "–"
    ),
});

export function Sessions({ path }: { path: string }) {
  const [size, setSize] = useState(SIZES[0]);
  return (
    <section aria-label="Sessions">
      <div class="filters">
        <Choice
          label="Show"
          value={String(size)}
          set={(value) => setSize(Number(value))}
          options={SIZES.map((one): [string, string] => [String(one), `${count(one)} sessions`])}
        />
      </div>
      <SessionList key={size} path={path} size={size} />
      <Deepest path={path} />
    </section>
  );
}

function SessionList({ path, size }: { path: string; size: number }) {
  const tokens = useTokens();
  const [order, setOrder] = useState<Order>({ column: "Session", isRising: true });
  const [taken, setTaken] = useState<SessionProperties | null>(null);
  const { data, failure, again } = useAsked(
    (signal) => list(path, size, tokens.token, signal),
    [path, size, tokens.token],
    PACE,
  );
  const columns = useMemo(() => (may("Manage", path) ? [...COLUMNS, deeds(setTaken)] : COLUMNS), [path]);
  return (
    <>
      <Failure of={failure} />
      {data !== null && (
        <Table
          caption="Sessions"
          columns={columns}
          rows={sorted(data.sessions, columns, order)}
          keyOf={(row) => row.sessionId}
          order={order}
          sort={setOrder}
          none="There are no sessions."
        />
      )}
      {data !== null && <TokenPager tokens={tokens} next={data.nextPageToken} noun="sessions" />}
      {taken !== null && (
        <Confirm
          title={`Take session ${taken.sessionId} away?`}
          verb="Take 1 session away"
          close={() => setTaken(null)}
          deed={async () => {
            await call("Sessions/ForceReleaseSession", { entityPath: path, sessionId: taken.sessionId });
            notice(`Session ${taken.sessionId} is free.`);
            again();
          }}
        >
          <p>Its holder loses 1 session, and cannot settle what it has received of it; those messages come back.</p>
        </Confirm>
      )}
    </>
  );
}
