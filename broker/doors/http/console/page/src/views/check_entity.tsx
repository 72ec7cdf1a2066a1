// CheckEntity: counts an entity from what is stored of it, compares that with its counters, and mends it if asked.

import { useEffect, useState } from "preact/hooks";

import { call } from "../api/call";
import { useDeed } from "../api/hooks";
import { Bar } from "../parts/bar";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Table } from "../parts/table";
import { count, counted } from "../text/numbers";

interface Difference {
  isOfDeadLetterQueue: boolean;
  what: string;
  counted: string;
  found: string;
}

interface Checked {
  checkedMessageCount: string;
  differences?: Difference[];
  repaired: boolean;
  fence: string;
}

function sentence({ checkedMessageCount, differences = [], repaired }: Checked): string {
  const looked = `${counted(checkedMessageCount, "message")} looked at`;
  if (differences.length === 0) return `${looked}: everything agrees.`;
  return `${looked}: ${counted(differences.length, "difference")}${repaired ? ", mended" : ""}.`;
}

export function CheckEntity({ path, close }: { path: string; close: () => void }) {
  const [told, setTold] = useState<Checked | null>(null);
  const { run, isRunning, failure } = useDeed(async (repair: boolean) =>
    setTold(await call<Checked>("Management/CheckEntity", { entityPath: path, repair })),
  );
  useEffect(() => {
    void run(false);
  }, []);
  const differences = told?.differences ?? [];
  const mayRepair = told !== null && !told.repaired && (differences.length > 0 || told.fence !== "");
  return (
    <Dialog title={`Check ${path}`} close={close}>
      <p>Its messages are counted as they are at one instant, and compared with its counters. Nothing stops for it.</p>
      {isRunning && (
        <Bar label="The check" value={0} of={0}>
          counting…
        </Bar>
      )}
      <Failure of={failure} />
      {told !== null && !isRunning && <p role="status">{sentence(told)}</p>}
      {told?.fence && <p class="failure">It is fenced, and nothing of it is used: {told.fence}</p>}
      {differences.length > 0 && (
        <Table
          caption="What does not agree"
          rows={differences}
          keyOf={(row) => `${row.isOfDeadLetterQueue}${row.what}`}
          columns={[
            {
              name: "What",
              cell: (row) => (
                <span class="text">
                  {row.what.replaceAll("_", " ")}
                  {row.isOfDeadLetterQueue && ", of the dead letters"}
                </span>
              ),
            },
            { name: "Counter", isNumber: true, cell: (row) => count(row.counted) },
            { name: "Found", isNumber: true, cell: (row) => count(row.found) },
          ]}
        />
      )}
      {mayRepair && (
        <p>
          A repair fences it for a moment, mends {counted(differences.length, "difference")}, and loses no message; one
          of which rows tell differently may be delivered once more.
        </p>
      )}
      <div class="buttons">
        <button type="button" disabled={isRunning} onClick={() => run(false)}>
          Check again
        </button>
        {mayRepair && (
          <button type="button" class="danger" disabled={isRunning} onClick={() => run(true)}>
            Repair {counted(differences.length, "difference")}
          </button>
        )}
      </div>
    </Dialog>
  );
}
