// Narrowing: which of the messages that a job would take it shall take, by their numbers and times, and how fast.

import { useState } from "preact/hooks";

import type { Selection } from "../api/types";
import { Field } from "../parts/field";
import { TimeField, timeOf } from "../parts/time_field";
import { numberRanges, writtenNumber } from "../text/numbers";
import { utcTime } from "../text/times";

// That the API takes.
const NUMBERS_MAX = 4500;

export interface Narrowing {
  numbers: string;
  from: string;
  before: string;
}

export const ALL: Narrowing = { numbers: "", from: "", before: "" };

export function narrowed(selection: Selection, { numbers, from, before }: Narrowing): Selection {
  return {
    ...selection,
    ...(numbers.trim() !== "" && { sequenceNumbers: numberRanges(numbers, NUMBERS_MAX) }),
    ...(from !== "" && { enqueuedFrom: timeOf(from) }),
    ...(before !== "" && { enqueuedBefore: timeOf(before) }),
  };
}

// A time is not told before it is one.
const utc = (local: string): string => utcTime(new Date(timeOf(local)));

// Behind what it narrows; of what was counted, so all of it can be read.
export function narrowingWords({ numbers, from, before }: Narrowing): string {
  return [
    ...(numbers.trim() === "" ? [] : [`of the numbers ${numbers.trim()}`]),
    ...(from === "" ? [] : [`enqueued from ${utc(from)} on`]),
    ...(before === "" ? [] : [`enqueued before ${utc(before)}`]),
  ]
    .map((part) => `, ${part}`)
    .join("");
}

// As the API has it; null: as fast as can be.
export function rateOf(text: string): number | null {
  if (text.trim() === "") return null;
  const rate = writtenNumber(text);
  if (!Number.isInteger(rate) || rate < 1) throw new Error(`"${text}" is no rate: write a whole number, or nothing`);
  return rate;
}

interface NarrowingProps {
  narrowing: Narrowing;
  set: (part: Partial<Narrowing>) => void;
  rate: string;
  setRate: (rate: string) => void;
}

export function NarrowingInputs({ narrowing, set, rate, setRate }: NarrowingProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Not all of them, or not all at once</summary>
      {isOpen && (
        <>
          <Field
            label="Numbers"
            hint="1, 5, 20-40; empty: all"
            value={narrowing.numbers}
            set={(numbers) => set({ numbers })}
          />
          <div class="columns">
            <TimeField label="Enqueued from" value={narrowing.from} set={(from) => set({ from })} />
            <TimeField label="Enqueued before" value={narrowing.before} set={(before) => set({ before })} />
            <Field
              label="Messages a second"
              hint="At most; empty: as many as can be"
              value={rate}
              set={setRate}
              input={{ type: "number", min: "1" }}
            />
          </div>
        </>
      )}
    </details>
  );
}
