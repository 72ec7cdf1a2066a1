// Comparison: whether all members have stored the same, row by row, while load goes on.

import { call } from "../api/call";
import { useAsked, useDeed } from "../api/hooks";
import { may } from "../api/presence";
import { Bar } from "../parts/bar";
import { Failure } from "../parts/failure";
import { Table } from "../parts/table";
import { bytesOf, hexOf } from "../text/bytes";
import { bytes, count, counted } from "../text/numbers";

const PACE = 1000;

interface Difference {
  table: string;
  key: string;
  index: string;
  members?: string[];
  hasMajority: boolean;
}

interface Compared {
  underWay: boolean;
  rowCount: string;
  byteCount: string;
  index: string;
  members?: { name: string; trouble: string }[];
  difference?: Difference;
  trouble: string;
}

function Found({ difference }: { difference: Difference }) {
  return (
    <p class="failure" role="alert">
      A row of the table {difference.table} is not the same everywhere, as of entry {count(difference.index)}:{" "}
      {(difference.members ?? []).join(", ")} differ
      {difference.hasMajority ? " from a majority of equal ones" : "; no majority is equal"}. Its key is{" "}
      <code>{hexOf(bytesOf(difference.key)).slice(0, 200)}</code>.
    </p>
  );
}

// That nothing was compared is no trouble of a comparison.
const hasCompared = ({ members = [] }: Compared): boolean => members.length > 0;

function sentence(compared: Compared): string {
  const { rowCount, byteCount, index, difference } = compared;
  if (!hasCompared(compared)) return "Nothing was compared since this node leads. A leader does it by itself each day.";
  const same = `${counted(rowCount, "row")}, ${bytes(byteCount)}, up to entry ${count(index)}`;
  return difference ? `Equal are ${same}.` : `All is equal: ${same}.`;
}

export function Comparison() {
  const { data, failure, again } = useAsked(
    (signal) => call<Compared>("Cluster/VerifyState", { lookOnly: true }, signal),
    ["comparison"],
    PACE,
  );
  const begin = useDeed(async () => {
    await call("Cluster/VerifyState");
    again();
  });
  const isRunning = data?.underWay === true;
  return (
    <section class="card" aria-labelledby="comparison">
      <div class="head">
        <h2 id="comparison">Do they have the same?</h2>
        {may("Manage") && (
          <button type="button" onClick={() => begin.run()} disabled={isRunning || begin.isRunning}>
            {isRunning ? "Comparing…" : "Compare the members"}
          </button>
        )}
      </div>
      <Failure of={begin.failure ?? failure} />
      {data !== null && isRunning && (
        <Bar label="The comparison" value={0} of={0}>
          {counted(data.rowCount, "row")}, {bytes(data.byteCount)} so far
        </Bar>
      )}
      {data !== null && !isRunning && <p role="status">{sentence(data)}</p>}
      {data?.difference && <Found difference={data.difference} />}
      {data?.trouble && hasCompared(data) && <p class="failure">{data.trouble}</p>}
      {(data?.members ?? []).some((member) => member.trouble) && (
        <Table
          caption="Members that were not compared"
          rows={(data?.members ?? []).filter((member) => member.trouble)}
          keyOf={(member) => member.name}
          columns={[
            { name: "Member", cell: (member) => member.name },
            { name: "Why it was not compared", cell: (member) => <span class="text">{member.trouble}</span> },
          ]}
        />
      )}
    </section>
  );
}
