// DeadLetters: those of an entity, grouped by why they are there; each group can be looked at, redriven and deleted.

import { useState } from "preact/hooks";

import { useAsked } from "../api/hooks";
import { DEAD_LETTERS } from "../api/paths";
import { may } from "../api/presence";
import type { ReceivedMessage, Selection } from "../api/types";
import { Failure } from "../parts/failure";
import { Moment } from "../parts/moment";
import { Named } from "../parts/named";
import { Table } from "../parts/table";
import { count, counted } from "../text/numbers";
import { type Shown, shown } from "../text/values";
import { visible } from "../text/visible";
import { Browse, peek } from "./browse";
import { JobDialog } from "./job_dialog";

// So many are looked at to group them.
const LOOKED_MAX = 5000;
const PAGE = 250;

interface Group {
  // Null: they say none.
  reason: Shown | null;
  messages: number;
  first: ReceivedMessage;
  last: ReceivedMessage;
  description: string;
}

function propertyOf(message: ReceivedMessage, name: string): Shown | null {
  const value = message.message.applicationProperties?.[name];
  return value === undefined || shown(value).type === "null" ? null : shown(value);
}

const keyOf = (reason: Shown | null): string => (reason === null ? "" : `${reason.type} ${reason.text}`);

interface Grouped {
  groups: Group[];
  looked: number;
  isWhole: boolean;
}

async function groupsOf(path: string, signal: AbortSignal): Promise<Grouped> {
  const groups = new Map<string, Group>();
  let from: string | undefined = "0";
  let looked = 0;
  while (from !== undefined && looked < LOOKED_MAX) {
    const told: Awaited<ReturnType<typeof peek>> = await peek(
      path,
      { filter: "PEEK_FILTER_ALL", sqlFilter: "", sessionId: "", from: "0" },
      from,
      PAGE,
      signal,
      true,
    );
    for (const message of told.messages ?? []) {
      looked += 1;
      const reason = propertyOf(message, "DeadLetterReason");
      const group = groups.get(keyOf(reason));
      if (group === undefined) {
        groups.set(keyOf(reason), {
          reason,
          messages: 1,
          first: message,
          last: message,
          description: propertyOf(message, "DeadLetterErrorDescription")?.text ?? "",
        });
      } else {
        group.messages += 1;
        group.last = message;
      }
    }
    from = told.nextSequenceNumber;
  }
  return {
    groups: [...groups.values()].sort((one, other) => other.messages - one.messages),
    looked,
    isWhole: from === undefined,
  };
}

// What a filter can compare as it is written; a sender may have given the property any type.
const LITERAL = /^(u?int(8|16|32|64)|float|double|decimal|bool)$/;

// Null: no selection tells these from others.
function selectionOf(group: Group | null): Selection | null {
  if (group === null) return {};
  if (group.reason === null) return { sqlFilter: "DeadLetterReason IS NULL" };
  const { type, text } = group.reason;
  if (type === "string") return { deadLetterReason: text };
  return LITERAL.test(type) && /\d|true|false/.test(text) ? { sqlFilter: `DeadLetterReason = ${text}` } : null;
}

interface Open {
  verb: "Redrive" | "Delete";
  // Null: all of them.
  group: Group | null;
}

const nameOf = (group: Group): string => (group.reason === null ? "without a reason" : visible(group.reason.text));

export function DeadLetters({ path, number }: { path: string; number?: string }) {
  const lane = path + DEAD_LETTERS;
  const { data, failure, again } = useAsked((signal) => groupsOf(lane, signal), [lane]);
  const [open, setOpen] = useState<Open | null>(null);
  const isManaged = may("Manage", path);
  const deeds = (group: Group | null) =>
    selectionOf(group) === null ? (
      <>one by one</>
    ) : (
      <span class="buttons">
        <button
          type="button"
          onClick={() => setOpen({ verb: "Redrive", group })}
          aria-label={`Redrive ${group === null ? "all" : nameOf(group)}`}
        >
          {group === null ? "Redrive all…" : "Redrive…"}
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => setOpen({ verb: "Delete", group })}
          aria-label={`Delete ${group === null ? "all" : nameOf(group)}`}
        >
          {group === null ? "Delete all…" : "Delete…"}
        </button>
      </span>
    );
  const what =
    open === null || open.group === null
      ? `all dead letters of ${path}`
      : `dead letters of ${path}: ${nameOf(open.group)}`;
  return (
    <section aria-label="Dead letters">
      <div class="head">
        <h2>Why they are here</h2>
        <button type="button" onClick={again}>
          Look again
        </button>
        {isManaged && data !== null && data.looked > 0 && deeds(null)}
      </div>
      <Failure of={failure} />
      {data !== null && (
        <>
          <Table
            caption="Dead letters by reason"
            rows={data.groups}
            keyOf={(group) => keyOf(group.reason)}
            none="There are no dead letters."
            columns={[
              {
                name: "Reason",
                cell: (group) =>
                  group.reason === null ? <em>none is told</em> : <Named text={group.reason.text} isCut />,
              },
              { name: "First description", cell: (group) => <Named text={group.description || undefined} isCut /> },
              { name: "Messages", isNumber: true, cell: (group) => count(group.messages) },
              { name: "First enqueued", cell: (group) => <Moment at={group.first.enqueuedTime} /> },
              { name: "Last enqueued", cell: (group) => <Moment at={group.last.enqueuedTime} /> },
              ...(isManaged ? [{ name: "Deeds", cell: deeds }] : []),
            ]}
          />
          {!data.isWhole && (
            <p class="hint">Grouped are the first {counted(data.looked, "message")}; there are more.</p>
          )}
        </>
      )}
      <h2>One by one</h2>
      <Browse path={lane} number={number} />
      {open !== null && (
        <JobDialog
          verb={open.verb}
          done={open.verb === "Redrive" ? "redriven" : "deleted"}
          what={what}
          takesTarget={open.verb === "Redrive"}
          method={open.verb === "Redrive" ? "Management/StartRedrive" : "Management/StartDeleteMessages"}
          request={{ entityPath: lane, selection: selectionOf(open.group) ?? {} }}
          close={() => {
            setOpen(null);
            again();
          }}
        />
      )}
    </section>
  );
}
