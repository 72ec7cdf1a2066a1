// Overview: how the broker does: what is to be seen to, what moves through it and waits, its disk and memory, and the
// cluster that it is kept by.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked } from "../api/hooks";
import { type Listed, listAll } from "../api/numbers_list";
import { addressOf } from "../api/route";
import type { Histogram, Statistics } from "../api/types";
import { Chart, type Series, withPoint } from "../parts/chart";
import { Facts } from "../parts/facts";
import { Failure } from "../parts/failure";
import { Moment } from "../parts/moment";
import { Table } from "../parts/table";
import { Tile } from "../parts/tile";
import { bytes, count, counted, numberOf, rate, roughly, span } from "../text/numbers";
import { secondsSince } from "../text/times";
import { enumWords, words } from "../text/words";
import { MEMBER_COLUMNS } from "./cluster";

const PACE = 2000;
// All entities are looked at for it.
const SUM_PACE = 5000;
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

const SYNC = "wharf_sync_seconds";
const histogramOf = (statistics: Statistics | null | undefined, name: string): Histogram | undefined =>
  statistics?.histograms?.find((histogram) => histogram.name === name);

const DURATIONS: [string, string][] = [
  [SYNC, "A synced write (fsync)"],
  ["wharf_send_seconds", "A send"],
  ["wharf_receive_seconds", "A receive"],
  ["wharf_settle_seconds", "A settlement"],
  ["wharf_message_wait_seconds", "A message waits"],
  ["wharf_turn_seconds", "A turn"],
];

const seconds = (value: number | null): string =>
  value === null ? "–" : Number.isFinite(value) ? `≤ ${span(value)}` : "more";

function Durations({ now, before }: { now: Statistics; before: Statistics | null }) {
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
            cell: ([name]) => seconds(quantile(0.5, histogramOf(now, name), undefined)),
          },
          {
            name: "99 %, since the start",
            isNumber: true,
            cell: ([name]) => seconds(quantile(0.99, histogramOf(now, name), undefined)),
          },
          {
            name: "99 %, lately",
            isNumber: true,
            cell: ([name]) => seconds(quantile(0.99, histogramOf(now, name), histogramOf(before, name))),
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
          ...(amqp ? [["Connections of AMQP", count(amqp.openConnectionCount)] as [string, string]] : []),
          ...(http
            ? [["Connections of Service Bus over HTTP", count(http.openConnectionCount)] as [string, string]]
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

type All = Awaited<ReturnType<typeof listAll>>;

const sumOf = (all: All, of: (row: Listed) => string): number =>
  all.entities.reduce((sum, row) => sum + numberOf(of(row)), 0);

function oldestOf(entities: Listed[]): Listed | null {
  return entities.reduce<Listed | null>(
    (oldest, row) =>
      row.oldestAvailableAt && (oldest === null || row.oldestAvailableAt < oldest.oldestAvailableAt!) ? row : oldest,
    null,
  );
}

function most(entities: Listed[], of: (row: Listed) => string): Listed | null {
  return entities.reduce<Listed | null>(
    (highest, row) =>
      numberOf(of(row)) > 0 && (highest === null || numberOf(of(row)) > numberOf(of(highest))) ? row : highest,
    null,
  );
}

const deadOf = (row: Listed): string => row.deadLetterMessageCount;
const quarantinedOf = (row: Listed): string => row.quarantinedMessageCount;

// What an operator has to see to, a sentence each.
function troublesOf({ damagedFiles, alarms = [], cluster }: Statistics, all: All | null): ComponentChildren[] {
  const quarantined = all === null ? null : most(all.entities, quarantinedOf);
  return [
    ...alarms.map(({ text }) => text),
    ...(damagedFiles ? [`Files that cannot be read: ${damagedFiles}`] : []),
    ...(cluster?.clusterId && !cluster.leader ? ["Nobody leads the cluster."] : []),
    ...(cluster?.trouble ? [cluster.trouble] : []),
    ...(cluster?.members ?? [])
      .filter((member) => !member.reachable && !member.leader)
      .map((member) => `${member.name} is not reached${member.trouble ? `: ${member.trouble}` : ""}.`),
    ...(quarantined === null
      ? []
      : [
          <>
            {counted(sumOf(all!, quarantinedOf), "message")} in quarantine, most in{" "}
            <a href={addressOf("entity", quarantined.entityPath)}>{quarantined.entityPath}</a>: they cannot be read.
          </>,
        ]),
  ];
}

function Attention({ of: troubles }: { of: ComponentChildren[] }) {
  if (troubles.length === 0) return <p class="well">Nothing needs you.</p>;
  return (
    <section class="attention" aria-labelledby="attention">
      <h2 id="attention">{counted(troubles.length, "thing")} to see to</h2>
      <ul>
        {troubles.map((trouble, at) => (
          <li key={at}>{trouble}</li>
        ))}
      </ul>
    </section>
  );
}

function WaitingTiles({ all }: { all: All }) {
  const oldest = oldestOf(all.entities);
  const worst = most(all.entities, deadOf);
  return (
    <>
      <Tile
        name={all.isWhole ? "Available" : "Available, in the first entities"}
        value={count(sumOf(all, (row) => row.availableMessageCount))}
      >
        {count(sumOf(all, (row) => row.lockedMessageCount))} locked,{" "}
        {count(sumOf(all, (row) => row.deferredMessageCount))} deferred
      </Tile>
      <Tile name="Oldest waits" value={oldest === null ? "–" : waitOf(oldest)}>
        {oldest !== null && (
          <>
            in <a href={addressOf("entity", oldest.entityPath)}>{oldest.entityPath}</a>
          </>
        )}
      </Tile>
      <Tile name="Dead letters" value={count(sumOf(all, deadOf))}>
        {worst !== null && (
          <>
            most in <a href={addressOf("entity", worst.entityPath, "dead-letters")}>{worst.entityPath}</a>
          </>
        )}
      </Tile>
      <Tile name="Scheduled" value={count(sumOf(all, (row) => row.scheduledMessageCount))} />
    </>
  );
}

const waitOf = (row: Listed): string => roughly(secondsSince(row.oldestAvailableAt!));

interface Looks {
  now: Look | null;
  before: Look | null;
}

// Lately; or since the start, if nothing was synced lately.
function syncOf(now: Look, before: Look | null): number | null {
  const all = histogramOf(now.statistics, SYNC);
  return quantile(0.99, all, histogramOf(before?.statistics, SYNC)) ?? quantile(0.99, all, undefined);
}

function Tiles({ looks, all }: { looks: Looks; all: All | null }) {
  const { now, before } = looks;
  const perSecondOf = (of: (statistics: Statistics) => string) =>
    now === null || before === null ? null : perSecond(before, now, of);
  const sync = now === null ? null : syncOf(now, before);
  const disk = now?.statistics.disk;
  return (
    <dl class="tiles">
      {RATES.map(([name, of]) => {
        const value = perSecondOf(of);
        return (
          <Tile key={name} name={`${words(name)} a second`} value={value === null ? "–" : rate(value)}>
            {now !== null && `${count(of(now.statistics))} since the start`}
          </Tile>
        );
      })}
      {all !== null && <WaitingTiles all={all} />}
      {disk && (
        <Tile name="Disk free" value={bytes(disk.freeBytes)} isBad={(now?.statistics.alarms ?? []).length > 0}>
          fsync, 99 %: {seconds(sync)}
        </Tile>
      )}
    </dl>
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

export function Overview() {
  const moved = useMoved();
  const waiting = useWaiting();
  const { now, before } = moved.looks;
  const statistics = now?.statistics;
  return (
    <>
      <h1>Overview</h1>
      <Failure of={moved.failure ?? waiting.failure} />
      {statistics && (
        <>
          <Attention of={troublesOf(statistics, waiting.all)} />
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
