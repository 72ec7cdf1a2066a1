// Durations: how long things take: half of them, and 99 of 100, since the start and lately.

import type { Histogram, Statistics } from "../api/types";
import { Table } from "../parts/table";
import { numberOf, span } from "../text/numbers";

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

export const seconds = (value: number | null): string =>
  value === null ? "–" : Number.isFinite(value) ? `≤ ${span(value)}` : "more";

export function Durations({ now, before }: { now: Statistics; before: Statistics | null }) {
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

// Of a synced write, 99 of 100: lately; or since the start, if nothing was synced lately.
export function syncOf(now: Statistics, before: Statistics | undefined): number | null {
  const all = histogramOf(now, SYNC);
  return quantile(0.99, all, histogramOf(before, SYNC)) ?? quantile(0.99, all, undefined);
}
