// Locks: which messages are locked, by whom, and until when.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked } from "../api/hooks";
import { DEAD_LETTERS } from "../api/paths";
import type { Lock } from "../api/types";
import { Failure } from "../parts/failure";
import { Choice } from "../parts/field";
import { Moment } from "../parts/moment";
import { Named } from "../parts/named";
import { Table } from "../parts/table";
import { TokenPager, useTokens } from "../parts/token_pager";
import { bytesOf, hexOf } from "../text/bytes";
import { enumWords } from "../text/words";

const PACE = 3000;
const PAGE = 50;

function holderWords(holder: Lock["holder"]): string {
  if (holder === undefined) return "not known: locked before the last start";
  return `${enumWords(holder.kind, "KIND_")} of ${holder.peer}${holder.isAtLimit ? ", which holds as much as it may" : ""}`;
}

export function Locks({ path }: { path: string }) {
  const [lane, setLane] = useState(path);
  return (
    <section aria-label="Locks">
      <div class="filters">
        <Choice
          label="Of"
          value={lane}
          set={setLane}
          options={[
            [path, "the entity"],
            [path + DEAD_LETTERS, "its dead-letter queue"],
          ]}
        />
      </div>
      <LocksOf key={lane} lane={lane} />
    </section>
  );
}

function LocksOf({ lane }: { lane: string }) {
  const tokens = useTokens();
  const { data, failure } = useAsked(
    (signal) =>
      call<{ locks?: Lock[]; nextPageToken: string }>(
        "Management/ListLocks",
        { entityPath: lane, pageSize: PAGE, pageToken: tokens.token },
        signal,
      ),
    [lane, tokens.token],
    PACE,
  );
  return (
    <>
      <Failure of={failure} />
      {data !== null && (
        <Table
          caption="Locks"
          rows={data.locks ?? []}
          keyOf={(lock) => lock.sequenceNumber}
          none="Nothing is locked."
          columns={[
            { name: "Number", isNumber: true, cell: (lock) => lock.sequenceNumber },
            {
              name: "Since",
              cell: (lock) => (lock.lockedSince ? <Moment at={lock.lockedSince} /> : "before the last start"),
            },
            {
              name: "Until",
              cell: (lock) => (lock.lockedUntil ? <Moment at={lock.lockedUntil} /> : "as long as its session is"),
            },
            { name: "Session", cell: (lock) => <Named text={lock.sessionId} /> },
            { name: "Holder", cell: (lock) => <span class="text">{holderWords(lock.holder)}</span> },
            { name: "Token ends with", cell: (lock) => <code>{hexOf(bytesOf(lock.lockTokenEnd))}</code> },
          ]}
        />
      )}
      <TokenPager tokens={tokens} next={data?.nextPageToken ?? ""} noun="locks" />
    </>
  );
}
