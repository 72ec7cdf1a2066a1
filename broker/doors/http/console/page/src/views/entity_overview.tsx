// EntityOverview: how much is in an entity and how it moves, now and over the last minutes, and what the entity is.

import { useEffect, useState } from "preact/hooks";

import { useAsked } from "../api/hooks";
import { OneRow } from "../api/numbers_list";
import { type Entity, getRuntime } from "../api/paths";
import { may } from "../api/presence";
import type { EntityNumbers, Runtime } from "../api/types";
import { Chart, type Series, withPoint } from "../parts/chart";
import { Facts } from "../parts/facts";
import { Failure } from "../parts/failure";
import { Moment } from "../parts/moment";
import { Table } from "../parts/table";
import { bytes, count, numberOf, span } from "../text/numbers";
import { secondsSince } from "../text/times";
import { words } from "../text/words";
import { isFixed, meaningsOf, valueWords } from "./entity_form";
import type { Shown } from "./entity";

const PACE = 2000;
const HELD = ["messages", "locked", "dead letters"];
const CAME = ["came in a second"];
const MOVED = [...CAME, "left in a second"];
const NOTHING: Series = { times: [], values: {} };

interface Look {
  time: number;
  runtime: Runtime;
  // Null: whose key is of this entity alone does not see it.
  row: EntityNumbers | null;
}

const depthOf = ({ runtime }: Look): number =>
  numberOf(runtime.activeMessageCount) + numberOf(runtime.transferMessageCount);

// Each message gets one number when it comes; so what came and is not there any more has left.
function ratesOf(before: Look, now: Look): Record<string, number> | null {
  const seconds = now.time - before.time;
  if (before.row === null || now.row === null || seconds <= 0) return null;
  const came = numberOf(now.row.numberedMessageCount) - numberOf(before.row.numberedMessageCount);
  const left = came - (depthOf(now) - depthOf(before));
  return { "came in a second": Math.max(0, came / seconds), "left in a second": Math.max(0, left / seconds) };
}

function useLive({ kind, path }: Entity) {
  const [row] = useState(() => new OneRow(path));
  const isListed = may("Manage");
  const [depth, setDepth] = useState(NOTHING);
  const [rates, setRates] = useState(NOTHING);
  const [before, setBefore] = useState<Look | null>(null);
  const asked = useAsked<Look>(
    async (signal) => {
      const [runtime, numbers] = await Promise.all([getRuntime(kind, path, signal), isListed ? row.ask(signal) : null]);
      return { time: performance.now() / 1000, runtime, row: numbers };
    },
    [kind, path],
    PACE,
  );
  const now = asked.data;
  useEffect(() => {
    if (now === null) return;
    const time = Date.now() / 1000;
    setDepth((series) =>
      withPoint(series, time, {
        messages: depthOf(now),
        scheduled: numberOf(now.runtime.scheduledMessageCount),
        locked: numberOf(now.runtime.lockedMessageCount),
        "dead letters": numberOf(now.runtime.deadLetterMessageCount),
      }),
    );
    const moved = before === null ? null : ratesOf(before, now);
    if (moved !== null) setRates((series) => withPoint(series, time, moved));
    setBefore(now);
  }, [now]);
  return { asked, depth, rates, isListed };
}

function Numbers({ runtime, row }: { runtime: Runtime; row: EntityNumbers | null }) {
  const facts: [string, string | undefined][] = [
    ["Active", runtime.activeMessageCount],
    ["Locked", runtime.lockedMessageCount],
    ["Delayed", runtime.delayedMessageCount],
    ["Deferred", runtime.deferredMessageCount],
    ["Dead letters", runtime.deadLetterMessageCount],
    ["Dead letters in quarantine", runtime.deadLetterQuarantinedMessageCount],
    ["Scheduled", runtime.scheduledMessageCount],
    ["To be forwarded", runtime.transferMessageCount],
    ["Dead letters to be forwarded", runtime.transferDeadLetterMessageCount],
    ["In quarantine", runtime.quarantinedMessageCount],
    ["Subscriptions", runtime.subscriptionCount?.toString()],
  ];
  return (
    <section class="card" aria-labelledby="numbers">
      <h2 id="numbers">Now</h2>
      {runtime.fence && (
        <p class="failure" role="alert">
          It is fenced, and nothing of it is used: {runtime.fence}
        </p>
      )}
      <Facts
        of={[
          ...facts
            .filter(([, value]) => value !== undefined)
            .map(([name, value]): [string, string] => [name, count(value)]),
          ...(row?.oldestAvailableAt
            ? [["Oldest waits", span(Math.round(secondsSince(row.oldestAvailableAt)))] as [string, string]]
            : []),
          ...(runtime.sizeInBytes === undefined ? [] : [["Size", bytes(runtime.sizeInBytes)] as [string, string]]),
        ]}
      />
      <Facts
        of={[
          ["Created", <Moment at={runtime.createdAt} />],
          ["Changed", <Moment at={runtime.updatedAt} />],
          ["Last used", <Moment at={runtime.accessedAt} />],
        ]}
      />
    </section>
  );
}

function Properties({ entity }: { entity: Entity }) {
  const fields = meaningsOf(entity.kind).filter((field) => field.name !== "etag");
  return (
    <section class="card" aria-labelledby="properties">
      <h2 id="properties">What it is</h2>
      <Table
        caption="Properties"
        rows={fields}
        keyOf={(field) => field.name}
        columns={[
          { name: "Property", cell: (field) => <span class="text">{words(field.name)}</span> },
          {
            name: "Value",
            cell: (field) => <strong class="text">{valueWords(field.type, entity.description[field.name])}</strong>,
          },
          { name: "Meaning", cell: (field) => <span class="meaning">{field.meaning}</span> },
          { name: "Is", isShort: true, cell: (field) => (isFixed(field) ? "fixed" : "changeable") },
        ]}
      />
    </section>
  );
}

function Live({ entity }: { entity: Entity }) {
  const { asked, depth, rates, isListed } = useLive(entity);
  return (
    <>
      <Failure of={asked.failure} />
      {asked.data !== null && <Numbers runtime={asked.data.runtime} row={asked.data.row} />}
      <div class="charts">
        {/* A topic keeps nothing but what is scheduled: what comes leaves at once, for its subscriptions. */}
        <Chart title="Depth" series={depth} names={entity.kind === "topic" ? ["scheduled"] : HELD} />
        {isListed && <Chart title="Rates" series={rates} names={entity.kind === "topic" ? CAME : MOVED} />}
      </div>
      <Properties entity={entity} />
    </>
  );
}

export function EntityOverview({ entity }: Shown) {
  return entity === null ? null : <Live entity={entity} />;
}
