// Archive: what is kept of commits behind the backups, so that one is restored to any moment of it; and what is missing.

import { Moment } from "../parts/moment";
import { Table } from "../parts/table";
import { bytes, count, numberOf } from "../text/numbers";

// Commits without a gap.
export interface ArchivedRun {
  firstCommit: string;
  lastCommit: string;
  firstAt?: string;
  lastAt?: string;
  byteCount: string;
  encrypted: boolean;
}

interface Row {
  key: string;
  // Null: it is a hole.
  run: ArchivedRun | null;
  first: number;
  last: number;
}

// The newest first, with the holes between them.
function rowsOf(runs: ArchivedRun[]): Row[] {
  const rows: Row[] = [];
  for (const run of runs) {
    const [first, last] = [numberOf(run.firstCommit), numberOf(run.lastCommit)];
    const before = rows.at(-1);
    if (before !== undefined && before.last + 1 < first)
      rows.push({ key: `hole ${before.last}`, run: null, first: before.last + 1, last: first - 1 });
    rows.push({ key: run.firstCommit, run, first, last });
  }
  return rows.reverse();
}

export function Archive({ runs, trouble }: { runs: ArchivedRun[]; trouble: string }) {
  const rows = rowsOf(runs);
  const holes = rows.filter(({ run }) => run === null).length;
  return (
    <section aria-labelledby="archive">
      <h2 id="archive">Archive</h2>
      {trouble !== "" && (
        <p class="failure" role="alert">
          Nothing is archived just now: {trouble}
        </p>
      )}
      {runs.length === 0 && trouble === "" && (
        <p class="hint">
          Nothing is archived: a backup is restored to the moment when it was made. With <code>archive-bytes</code> in
          the configuration, what is committed later is kept beside it.
        </p>
      )}
      {runs.length > 0 && (
        <>
          <Table
            caption="Archive"
            rows={rows}
            keyOf={(row) => row.key}
            columns={[
              {
                name: "What",
                isShort: true,
                cell: ({ run }) =>
                  run === null ? (
                    <span class="state bad">a hole</span>
                  ) : run.encrypted ? (
                    "archived, encrypted"
                  ) : (
                    "archived"
                  ),
              },
              { name: "From", cell: ({ run }) => (run === null ? "–" : <Moment at={run.firstAt} />) },
              { name: "Until", cell: ({ run }) => (run === null ? "–" : <Moment at={run.lastAt} />) },
              { name: "Commits", isNumber: true, cell: ({ first, last }) => `${count(first)} to ${count(last)}` },
              { name: "Size", isNumber: true, cell: ({ run }) => (run === null ? "–" : bytes(run.byteCount)) },
            ]}
          />
          <p class="hint">
            A backup is restored to any moment from when it was made on
            {holes > 0 && ", but not beyond a hole: make a backup behind it"}:{" "}
            <code>wharfd restore BACKUP DATA --until 2026-01-31T12:00:00Z</code>.
          </p>
        </>
      )}
    </section>
  );
}
