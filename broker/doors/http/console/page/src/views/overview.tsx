// Overview: how the broker does: what moves through it, what waits, its disk and memory, and the cluster it is kept by.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked } from "../api/hooks";
import { type Listed, listAll } from "../api/numbers_list";
import { addressOf } from "../api/route";
import type { ClusterMember, Histogram, Statistics } from "../api/types";
import { Chart, type Series, withPoint } from "../parts/chart";
import { Facts } from "../parts/facts";
import { Failure } from "../parts/failure";
import { Moment } from "../parts/moment";
import { Table } from "../parts/table";
import { bytes, count, numberOf, rate, span, spanOf } from "../text/numbers";
import { secondsSince } from "../text/times";
import { enumWords, words } from "../text/words";

const PACE = 2000;
// All entities are looked at for it.
const SUM_PACE = 10_000;
const NOTHING: Series = { times: [], values: {} };

interface Look {
  time: number;
  statistics: Statistics;
}

const RATES: [string, (statistics: Statistics) => string][] = [
  ["sent", (statistics) => statistics.sentMessageCount],
  ["delivered", (statistics) => statistics.deliveredMessageCount],
  ["settled", (statistics) => statistics.settledMessageCount],
];

function perSecond(before: Look, now: Look, of: (statistics: Statistics) => string): number {
  return Math.max(0, (numberOf(of(now.statistics)) - numberOf(of(before.statistics))) / (now.time - before.time));
}

// Of what came between two looks; a restart of the broker begins anew.
function quantile(part: number, now: Histogram | undefined, before: Histogram | undefined): number | null {
  if (now === undefined) return null;
  const was = before !== undefined && numberOf(before.count) <= numberOf(now.count) ? before : undefined;
  const counts = new Map((was?.buckets ?? []).map((bucket) => [String(bucket.atMostSeconds), numberOf(bucket.count)]));
  const total = numberOf(now.count) - numberOf(was?.count);
  if (total <= 0) return null;
  let seen = 0;
  for (const bucket of now.buckets ?? []) {
    seen += numberOf(bucket.count) - (counts.get(String(bucket.atMostSeconds)) ?? 0);
    if (seen >= part * total) return Number(bucket.atMostSeconds);
  }
  return null;
}

const DURATIONS: [string, string][] = [
  ["wharf_sync_seconds", "A synced write (fsync)"],
  ["wharf_send_seconds", "A send"],
  ["wharf_receive_seconds", "A receive"],
  ["wharf_settle_seconds", "A settlement"],
  ["wharf_message_wait_seconds", "A message waits"],
  ["wharf_turn_seconds", "A turn"],
];

const seconds = (value: number | null): string =>
  value === null ? "–" : Number.isFinite(value) ? `≤ ${span(value)}` : "more";

function Durations({ now, before }: { now: Statistics; before: Statistics | null }) {
  const find = (statistics: Statistics | null, name: string) =>
    statistics?.histograms?.find((histogram) => histogram.name === name);
  return (
    <section class="card" aria-labelledby="durations">
      <h2 id="durations">How long things take</h2>
      <Table
        caption="How long things take"
        rows={DURATIONS}
        keyOf={([name]) => name}
        columns={[
          { name: "What", cell: ([, title]) => title },
          {
            name: "Half, since the start",
            isNumber: true,
            cell: ([name]) => seconds(quantile(0.5, find(now, name), undefined)),
          },
          {
            name: "99 %, since the start",
            isNumber: true,
            cell: ([name]) => seconds(quantile(0.99, find(now, name), undefined)),
          },
          {
            name: "99 %, lately",
            isNumber: true,
            cell: ([name]) => seconds(quantile(0.99, find(now, name), find(before, name))),
          },
        ]}
      />
    </section>
  );
}

function Machine({ statistics }: { statistics: Statistics }) {
  const { disk, space, memory } = statistics;
  return (
    <section class="card" aria-labelledby="machine">
      <h2 id="machine">Disk and memory</h2>
      {statistics.damagedFiles && (
        <p class="failure" role="alert">
          Files that cannot be read: {statistics.damagedFiles}
        </p>
      )}
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
      <h2 id="cluster">Cluster</h2>
      <p>
        {cluster.leader ? `${cluster.leader} leads` : "Nobody leads"}, in term {cluster.term}. {cluster.oneMoreLoss}
      </p>
      {cluster.trouble && (
        <p class="failure" role="alert">
          {cluster.trouble}
        </p>
      )}
      <Table
        caption="Members of the cluster"
        rows={cluster.members ?? []}
        keyOf={(member: ClusterMember) => member.id}
        columns={[
          { name: "Name", cell: (member) => member.name },
          { name: "Is", cell: (member) => (member.leader ? "leader" : member.voter ? "voter" : "learner") },
          { name: "Reached", cell: (member) => (member.reachable ? "yes" : member.trouble || "no") },
          {
            name: "Behind by",
            isNumber: true,
            cell: (member) =>
              member.lagEntries === undefined
                ? "–"
                : [`${count(member.lagEntries)} entries`, bytes(member.lagBytes), member.lag && spanOf(member.lag)]
                    .filter(Boolean)
                    .join(", "),
          },
          { name: "Round trip", isNumber: true, cell: (member) => (member.roundTrip ? spanOf(member.roundTrip) : "–") },
          { name: "Peers at", cell: (member) => <span class="text">{member.peerAddress}</span> },
        ]}
      />
    </section>
  );
}

function oldestOf(entities: Listed[]): Listed | null {
  return entities.reduce<Listed | null>(
    (oldest, row) =>
      row.oldestAvailableAt && (oldest === null || row.oldestAvailableAt < oldest.oldestAvailableAt!) ? row : oldest,
    null,
  );
}

function Waiting() {
  const { data, failure } = useAsked(listAll, ["sums"], SUM_PACE);
  if (data === null) return <Failure of={failure} />;
  const sum = (of: (row: Listed) => string) => count(data.entities.reduce((all, row) => all + numberOf(of(row)), 0));
  const oldest = oldestOf(data.entities);
  const worst = [...data.entities]
    .filter((row) => numberOf(row.deadLetterMessageCount) > 0)
    .sort((one, other) => numberOf(other.deadLetterMessageCount) - numberOf(one.deadLetterMessageCount))[0];
  return (
    <section class="card" aria-labelledby="waiting">
      <h2 id="waiting">What waits{!data.isWhole && ", in the first entities"}</h2>
      <Facts
        of={[
          ["Available", sum((row) => row.availableMessageCount)],
          ["Locked", sum((row) => row.lockedMessageCount)],
          ["Dead letters", sum((row) => row.deadLetterMessageCount)],
          ["Scheduled", sum((row) => row.scheduledMessageCount)],
          ["Deferred", sum((row) => row.deferredMessageCount)],
          ["In quarantine", sum((row) => row.quarantinedMessageCount)],
          [
            "Oldest waits",
            oldest === null ? (
              "–"
            ) : (
              <>
                <a href={addressOf("entity", oldest.entityPath)}>{oldest.entityPath}</a>:{" "}
                {span(Math.round(secondsSince(oldest.oldestAvailableAt!)))}
              </>
            ),
          ],
          [
            "Most dead letters",
            worst === undefined ? (
              "–"
            ) : (
              <>
                <a href={addressOf("entity", worst.entityPath, "dead-letters")}>{worst.entityPath}</a>:{" "}
                {count(worst.deadLetterMessageCount)}
              </>
            ),
          ],
        ]}
      />
    </section>
  );
}

export function Overview() {
  const [series, setSeries] = useState(NOTHING);
  const [looks, setLooks] = useState<{ now: Look | null; before: Look | null }>({ now: null, before: null });
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
  const statistics = data?.statistics;
  return (
    <>
      <h1>Overview</h1>
      <Failure of={failure} />
      {statistics && (
        <>
          <section class="card" aria-labelledby="broker">
            <h2 id="broker">The broker</h2>
            <Facts
              of={[
                ["Version", statistics.version],
                ["Since", <Moment at={statistics.startedAt} />],
                ["Its clock", <Moment at={statistics.now} />],
                ["Entities", count(statistics.entityCount)],
                [
                  "Syncs a second",
                  looks.before === null || looks.now === null
                    ? "–"
                    : rate(perSecond(looks.before, looks.now, (told) => told.syncCount)),
                ],
                ["Connections of gRPC", count(statistics.openConnectionCount)],
                ...(statistics.amqp
                  ? [["Connections of AMQP", count(statistics.amqp.openConnectionCount)] as [string, string]]
                  : []),
                ...(statistics.http
                  ? [
                      ["Connections of Service Bus over HTTP", count(statistics.http.openConnectionCount)] as [
                        string,
                        string,
                      ],
                    ]
                  : []),
                [
                  "Refused: not proven, not allowed",
                  `${count(statistics.unauthorizedCount)}, ${count(statistics.forbiddenCount)}`,
                ],
              ]}
            />
          </section>
          <Waiting />
          {series.times.length > 0 && (
            <div class="charts">
              <Chart title="Messages a second" series={series} />
            </div>
          )}
          <Durations now={statistics} before={looks.before?.statistics ?? null} />
          <Machine statistics={statistics} />
          <Cluster statistics={statistics} />
        </>
      )}
    </>
  );
}
