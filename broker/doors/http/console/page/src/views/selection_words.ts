// Selection words: which messages a job takes.

import type { Selection } from "../api/types";
import { counted } from "../text/numbers";
import { localTime } from "../text/times";
import { visible } from "../text/visible";

// So many numbers are told.
const NUMBERS_MAX = 5;

function numberWords(numbers: string[]): string {
  const some = numbers.slice(0, NUMBERS_MAX).join(", ");
  return `${counted(numbers.length, "number")}: ${some}${numbers.length > NUMBERS_MAX ? "…" : ""}`;
}

export function selectionWords(selection: Selection = {}): string {
  const { deadLetterReason, sqlFilter, sequenceNumbers = [], enqueuedFrom, enqueuedBefore } = selection;
  const time = (at: string): string => localTime(new Date(at));
  const parts = [
    ...(deadLetterReason === undefined ? [] : [`reason ${visible(deadLetterReason)}`]),
    ...(sqlFilter ? [sqlFilter] : []),
    ...(sequenceNumbers.length > 0 ? [numberWords(sequenceNumbers)] : []),
    ...(enqueuedFrom ? [`enqueued from ${time(enqueuedFrom)} on`] : []),
    ...(enqueuedBefore ? [`enqueued before ${time(enqueuedBefore)}`] : []),
  ];
  return parts.join("; ") || "all that waits";
}
