// OverviewTiles: the numbers that are looked for first.

import type { Listed } from "../api/numbers_list";
import { addressOf } from "../api/route";
import type { Statistics } from "../api/types";
import { Tile } from "../parts/tile";
import { bytes, count, numberOf, rate, roughly } from "../text/numbers";
import { secondsSince } from "../text/times";
import { words } from "../text/words";
import { type All, deadOf, most, oldestOf, sumOf } from "./all_entities";
import { seconds, syncOf } from "./durations";

export interface Look {
  time: number;
  statistics: Statistics;
}

export const RATES: [string, (statistics: Statistics) => string][] = [
  ["sent", (statistics) => statistics.sentMessageCount],
  ["delivered", (statistics) => statistics.deliveredMessageCount],
  ["settled", (statistics) => statistics.settledMessageCount],
];

export function perSecond(before: Look, now: Look, of: (statistics: Statistics) => string): number {
  return Math.max(0, (numberOf(of(now.statistics)) - numberOf(of(before.statistics))) / (now.time - before.time));
}

export interface Looks {
  now: Look | null;
  before: Look | null;
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

export function Tiles({ looks, all }: { looks: Looks; all: All | null }) {
  const { now, before } = looks;
  const perSecondOf = (of: (statistics: Statistics) => string) =>
    now === null || before === null ? null : perSecond(before, now, of);
  const sync = now === null ? null : syncOf(now.statistics, before?.statistics);
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
