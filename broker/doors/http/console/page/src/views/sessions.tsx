// Sessions: what waits in each, who holds it and since when, and how large its state is; the deepest first, if asked.

import { useMemo, useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked, useDeed } from "../api/hooks";
import { may } from "../api/presence";
import type { SessionProperties } from "../api/types";
import { Confirm } from "../parts/confirm";
import { Failure } from "../parts/failure";
import { Choice } from "../parts/field";
import { Moment } from "../parts/moment";
import { Named } from "../parts/named";
import { notice } from "../parts/notice";
import { type Column, type Order, Table, sorted } from "../parts/table";
import { TokenPager, useTokens } from "../parts/token_pager";
import { bytes, count, numberOf } from "../text/numbers";
import { visible } from "../text/visible";

const PACE = 3000;
const SIZES = [50, 250, 1000];

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
              { name: "Session", cell: (row) => <Named text={row.sessionId} /> },
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

interface Listed {
  sessions: SessionProperties[];
  nextPageToken: string;
}

// A page may be shorter than it could be, and have a next.
async function list(path: string, wanted: number, from: string, signal: AbortSignal): Promise<Listed> {
  const sessions: SessionProperties[] = [];
  let pageToken = from;
  do {
    const told = await call<{ sessions?: SessionProperties[]; nextPageToken: string }>(
      "Sessions/ListSessions",
      { entityPath: path, pageSize: wanted - sessions.length, pageToken },
      signal,
    );
    sessions.push(...(told.sessions ?? []));
    pageToken = told.nextPageToken;
  } while (pageToken !== "" && sessions.length < wanted);
  return { sessions, nextPageToken: pageToken };
}

// Its name is kept in memory alone: after a start it is known when the holder comes back. Who may not manage the entity
// does not hear it.
function Holder({
  of: { lockedUntil, lockedBy, lockedByIdentity },
  isTold,
}: {
  of: SessionProperties;
  isTold: boolean;
}) {
  if (!lockedUntil) return <>nobody</>;
  if (!isTold) return <>somebody</>;
  if (lockedBy === undefined) return <>somebody who has not come since the last start</>;
  return (
    <span class="text">
      {lockedBy}
      {lockedByIdentity !== undefined && ` as ${lockedByIdentity}`}
    </span>
  );
}

function Held({ of: { lockedSince, lockedUntil } }: { of: SessionProperties }) {
  return (
    <div>
      <Moment at={lockedUntil} />
      {lockedSince && (
        <p class="hint">
          since <Moment at={lockedSince} />
        </p>
      )}
    </div>
  );
}

function State({ of: { stateSize, stateUpdatedTime } }: { of: SessionProperties }) {
  if (stateSize === undefined) return <>none</>;
  return (
    <div>
      {bytes(stateSize)}
      {stateUpdatedTime && (
        <p class="hint">
          of <Moment at={stateUpdatedTime} />
        </p>
      )}
    </div>
  );
}

const depthOf = (row: SessionProperties): number => numberOf(row.messageCount) + (row.hasMoreMessages ? 1 : 0);

// As wide as a time.
const TIME = "minmax(11.5rem, 2fr)";

const columnsOf = (isManaged: boolean, take: (row: SessionProperties) => void): Column<SessionProperties>[] => [
  {
    name: "Session",
    track: "minmax(0, 3fr)",
    by: (row) => row.sessionId,
    cell: (row) => <Named text={row.sessionId} />,
  },
  {
    name: "Messages",
    track: "6.5rem",
    isNumber: true,
    by: depthOf,
    cell: (row) => `${count(row.messageCount)}${row.hasMoreMessages ? "+" : ""}`,
  },
  {
    name: "Oldest",
    track: TIME,
    by: (row) => row.oldestEnqueuedTime ?? "",
    cell: (row) => (row.oldestEnqueuedTime ? <Moment at={row.oldestEnqueuedTime} /> : "–"),
  },
  {
    name: "Holder",
    track: "minmax(0, 3fr)",
    by: (row) => (row.lockedUntil ? (row.lockedBy ?? "~") : ""),
    cell: (row) => <Holder of={row} isTold={isManaged} />,
  },
  {
    name: "Held until",
    track: TIME,
    by: (row) => row.lockedUntil ?? "",
    cell: (row) => (row.lockedUntil ? <Held of={row} /> : "–"),
  },
  {
    name: "State",
    track: TIME,
    by: (row) => numberOf(row.stateSize),
    cell: (row) => <State of={row} />,
  },
  ...(isManaged ? [deedsOf(take)] : []),
];

const deedsOf = (take: (row: SessionProperties) => void): Column<SessionProperties> => ({
  name: "Deeds",
  track: "8.5rem",
  cell: (row) =>
    row.lockedUntil ? (
      <button
        type="button"
        class="danger"
        onClick={() => take(row)}
        aria-label={`Take away session ${visible(row.sessionId)}`}
      >
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
  const columns = useMemo(() => columnsOf(may("Manage", path), setTaken), [path]);
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
          isLong
        />
      )}
      <TokenPager tokens={tokens} next={data?.nextPageToken ?? ""} noun="sessions" />
      {taken !== null && (
        <Confirm
          title={`Take session ${visible(taken.sessionId)} away?`}
          verb="Take 1 session away"
          close={() => setTaken(null)}
          deed={async () => {
            await call("Sessions/ForceReleaseSession", { entityPath: path, sessionId: taken.sessionId });
            notice(`Session ${visible(taken.sessionId)} is free.`);
            again();
          }}
        >
          <p>Its holder loses 1 session, and cannot settle what it has received of it; those messages come back.</p>
        </Confirm>
      )}
    </>
  );
}
