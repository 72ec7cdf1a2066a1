// Overview: how the broker does: what is to be seen to, what moves through it and waits, its disk and memory, and the
// cluster that it is kept by.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked } from "../api/hooks";
import { listAll } from "../api/numbers_list";
import { addressOf } from "../api/route";
import type { Statistics } from "../api/types";
import { Chart, type Series, withPoint } from "../parts/chart";
import { Facts } from "../parts/facts";
import { Failure } from "../parts/failure";
import { Moment } from "../parts/moment";
import { Table } from "../parts/table";
import { bytes, count, counted, numberOf, rate } from "../text/numbers";
import { enumWords, words } from "../text/words";
import { type All, deadOf, sumOf } from "./all_entities";
import { Attention, troublesOf } from "./attention";
import { MEMBER_COLUMNS } from "./cluster";
import { Durations } from "./durations";
import { type Look, type Looks, RATES, Tiles, perSecond } from "./overview_tiles";
import { type Unusable, findUnusable } from "./unusable";

const PACE = 2000;
// All entities are looked at for it.
const SUM_PACE = 5000;
// What it finds goes by hand alone.
const UNUSABLE_PACE = 60_000;
const ALL_USED: Unusable = { fenced: [], unreadable: [], isWhole: false };
const NOTHING: Series = { times: [], values: {} };

function Machine({ statistics }: { statistics: Statistics }) {
  const { disk, space, memory, namespaceBytes, maxNamespaceBytes } = statistics;
  const isBounded = numberOf(maxNamespaceBytes) > 0;
  return (
    <section class="card" aria-labelledby="machine">
      <h2 id="machine">Disk and memory</h2>
      <Facts
        of={[
          ...(disk
            ? ([
                ["Disk", <strong>{enumWords(disk.state, "STATE_")}</strong>],
                ["Free", bytes(disk.freeBytes)],
                ["Sends are refused below", bytes(disk.sendsRefusedBelowBytes)],
              ] as [string, ComponentChildren][])
            : []),
          ...(space
            ? ([
                ["Tables", bytes(space.tableBytes)],
                ["Large bodies", bytes(space.largeBodyBytes)],
                ["To be given back", bytes(space.deadBytes)],
              ] as [string, string][])
            : []),
          [
            "All messages",
            `${bytes(namespaceBytes)}${isBounded ? ` of ${bytes(maxNamespaceBytes)} at most` : ", without a bound"}`,
          ],
          ...Object.entries(memory ?? {}).map(([name, value]): [string, string] => [
            `Memory: ${words(name.replace(/Bytes$/, "")).toLowerCase()}`,
            bytes(value),
          ]),
        ]}
      />
    </section>
  );
}

function Cluster({ statistics: { cluster } }: { statistics: Statistics }) {
  if (cluster === undefined || !cluster.clusterId) return null;
  return (
    <section class="card" aria-labelledby="cluster">
      <div class="head">
        <h2 id="cluster">Cluster</h2>
        <a href={addressOf("cluster")}>Members and changes</a>
      </div>
      <p>
        {cluster.leader ? `${cluster.leader} leads` : "Nobody leads"}, in term {cluster.term}. {cluster.oneMoreLoss}
      </p>
      <Table
        caption="Members of the cluster"
        rows={cluster.members ?? []}
        keyOf={(member) => member.id}
        columns={MEMBER_COLUMNS}
      />
    </section>
  );
}

function Broker({ statistics, syncs }: { statistics: Statistics; syncs: number | null }) {
  const { amqp, http } = statistics;
  return (
    <section class="card" aria-labelledby="broker">
      <h2 id="broker">The broker</h2>
      <Facts
        of={[
          ["Version", statistics.version],
          ["Since", <Moment at={statistics.startedAt} />],
          ["Its clock", <Moment at={statistics.now} />],
          ["Entities", count(statistics.entityCount)],
          ["Syncs a second", syncs === null ? "–" : rate(syncs)],
          ["Connections of gRPC", count(statistics.openConnectionCount)],
          ...(amqp
            ? ([
                [
                  "Connections of AMQP",
                  `${count(amqp.openConnectionCount)}, with ${counted(amqp.openLinkCount, "link")}`,
                ],
                [
                  "Of AMQP refused",
                  `${counted(amqp.refusedConnectionCount, "connection")}, ${counted(amqp.refusedLinkCount, "link")}`,
                ],
              ] as [string, string][])
            : []),
          ...(http
            ? ([
                ["Connections of HTTP", count(http.openConnectionCount)],
                ["Of HTTP refused", counted(http.refusedConnectionCount, "connection")],
              ] as [string, string][])
            : []),
          [
            "Refused: not proven, not allowed",
            `${count(statistics.unauthorizedCount)}, ${count(statistics.forbiddenCount)}`,
          ],
        ]}
      />
    </section>
  );
}

// What moves: a point for each look at the broker.
function useMoved(): { looks: Looks; series: Series; failure: Error | null } {
  const [series, setSeries] = useState(NOTHING);
  const [looks, setLooks] = useState<Looks>({ now: null, before: null });
  const { data, failure } = useAsked<Look>(
    async (signal) => ({
      statistics: await call<Statistics>("Management/GetBrokerStatistics", {}, signal),
      time: performance.now() / 1000,
    }),
    ["statistics"],
    PACE,
  );
  useEffect(() => {
    if (data === null) return;
    const before = looks.now;
    if (before !== null)
      setSeries((all) =>
        withPoint(
          all,
          Date.now() / 1000,
          Object.fromEntries(RATES.map(([name, of]) => [name, perSecond(before, data, of)])),
        ),
      );
    setLooks({ now: data, before });
  }, [data]);
  return { looks, series, failure };
}

// What waits, in all entities.
function useWaiting(): { all: All | null; series: Series; failure: Error | null } {
  const [series, setSeries] = useState(NOTHING);
  const { data, failure } = useAsked(
    async (signal) => ({ time: Date.now() / 1000, ...(await listAll(signal)) }),
    ["sums"],
    SUM_PACE,
  );
  useEffect(() => {
    if (data === null) return;
    setSeries((before) =>
      withPoint(before, data.time, {
        available: sumOf(data, (row) => row.availableMessageCount),
        locked: sumOf(data, (row) => row.lockedMessageCount),
        "dead letters": sumOf(data, deadOf),
      }),
    );
  }, [data]);
  return { all: data, series, failure };
}

// What of it nobody can use.
function useUnusable(all: All | null, fencedEntityCount: number) {
  return useAsked(
    async (signal) => (all === null ? null : findUnusable(all, fencedEntityCount > 0, signal)),
    ["unusable", all !== null, fencedEntityCount],
    UNUSABLE_PACE,
  );
}

export function Overview() {
  const moved = useMoved();
  const waiting = useWaiting();
  const { now, before } = moved.looks;
  const unusable = useUnusable(waiting.all, numberOf(now?.statistics.fencedEntityCount));
  const statistics = now?.statistics;
  return (
    <>
      <h1>Overview</h1>
      <Failure of={moved.failure ?? waiting.failure ?? unusable.failure} />
      {statistics && (
        <>
          <Attention
            of={troublesOf(statistics, waiting.all, unusable.data ?? ALL_USED)}
            isDone={waiting.all !== null && unusable.data !== null}
            isWhole={unusable.data?.isWhole === true}
          />
          <Tiles looks={moved.looks} all={waiting.all} />
          <div class="charts">
            <Chart title="Messages a second" series={moved.series} names={RATES.map(([name]) => name)} />
            <Chart title="What waits" series={waiting.series} names={["available", "locked", "dead letters"]} />
          </div>
          <Cluster statistics={statistics} />
          <div class="cards">
            <Durations now={statistics} before={before?.statistics ?? null} />
            <Machine statistics={statistics} />
            <Broker
              statistics={statistics}
              syncs={before === null || now === null ? null : perSecond(before, now, (told) => told.syncCount)}
            />
          </div>
        </>
      )}
    </>
  );
}
