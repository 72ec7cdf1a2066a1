// AllEntities: what is told of all of them together: sums, the oldest that waits, who has most of something.

import type { Listed, listAll } from "../api/numbers_list";
import { numberOf } from "../text/numbers";

export type All = Awaited<ReturnType<typeof listAll>>;

export const sumOf = (all: All, of: (row: Listed) => string): number =>
  all.entities.reduce((sum, row) => sum + numberOf(of(row)), 0);

export function oldestOf(entities: Listed[]): Listed | null {
  return entities.reduce<Listed | null>(
    (oldest, row) =>
      row.oldestAvailableAt && (oldest === null || row.oldestAvailableAt < oldest.oldestAvailableAt!) ? row : oldest,
    null,
  );
}

export function most(entities: Listed[], of: (row: Listed) => string): Listed | null {
  return entities.reduce<Listed | null>(
    (highest, row) =>
      numberOf(of(row)) > 0 && (highest === null || numberOf(of(row)) > numberOf(of(highest))) ? row : highest,
    null,
  );
}

export const deadOf = (row: Listed): string => row.deadLetterMessageCount;
export const quarantinedOf = (row: Listed): string => row.quarantinedMessageCount;
