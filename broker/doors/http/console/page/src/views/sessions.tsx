// Sessions: what waits in each, since when it is held, and how large its state is; the deepest first, if asked.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked, useDeed } from "../api/hooks";
import { may } from "../api/presence";
import type { SessionProperties } from "../api/types";
import { Confirm } from "../parts/confirm";
import { Failure } from "../parts/failure";
import { Moment } from "../parts/moment";
import { notice } from "../parts/notice";
import { type Column, Table } from "../parts/table";
import { TokenPager, useTokens } from "../parts/token_pager";
import { bytes, count } from "../text/numbers";

const PACE = 3000;
const PAGE = 50;

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

export function Sessions({ path }: { path: string }) {
  const tokens = useTokens();
  const [taken, setTaken] = useState<SessionProperties | null>(null);
  const { data, failure, again } = useAsked(
    (signal) =>
      call<{ sessions?: SessionProperties[]; nextPageToken: string }>(
        "Sessions/ListSessions",
        { entityPath: path, pageSize: PAGE, pageToken: tokens.token },
        signal,
      ),
    [path, tokens.token],
    PACE,
  );
  const columns: Column<SessionProperties>[] = [
    { name: "Session", cell: (row) => <span class="text">{row.sessionId}</span> },
    {
      name: "Messages",
      isNumber: true,
      cell: (row) => `${count(row.messageCount)}${row.hasMoreMessages ? " or more" : ""}`,
    },
    { name: "Oldest", cell: (row) => (row.oldestEnqueuedTime ? <Moment at={row.oldestEnqueuedTime} /> : "–") },
    { name: "Held since", cell: (row) => (row.lockedUntil ? <Moment at={row.lockedSince} /> : "nobody holds it") },
    { name: "Held until", cell: (row) => (row.lockedUntil ? <Moment at={row.lockedUntil} /> : "–") },
    { name: "State", isNumber: true, cell: (row) => (row.stateSize === undefined ? "none" : bytes(row.stateSize)) },
  ];
  if (may("Manage", path)) {
    columns.push({
      name: "Deeds",
      cell: (row) =>
        row.lockedUntil ? (
          <button
            type="button"
            class="danger"
            onClick={() => setTaken(row)}
            aria-label={`Take away session ${row.sessionId}`}
          >
            Take away…
          </button>
        ) : (
          "–"
        ),
    });
  }
  return (
    <section aria-label="Sessions">
      <Failure of={failure} />
      {data !== null && (
        <Table
          caption="Sessions"
          columns={columns}
          rows={data.sessions ?? []}
          keyOf={(row) => row.sessionId}
          none="There are no sessions."
        />
      )}
      {data !== null && <TokenPager tokens={tokens} next={data.nextPageToken} noun="sessions" />}
      <Deepest path={path} />
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
    </section>
  );
}
