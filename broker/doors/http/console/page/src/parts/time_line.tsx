// TimeLine: how many things are due when, drawn as bars over their times. A bar is a button, so it is told and pressed
// without being seen.

import { useEffect, useRef } from "preact/hooks";

import { counted, span } from "../text/numbers";
import { isSameZone, localTime, utcTime } from "../text/times";
import { Until } from "./clock";

export interface Bucket {
  // Milliseconds since 1970; the end is not in it.
  from: number;
  to: number;
  size: number;
}

const BARS = 48;
// So long is a bar: the shortest of these that lets all be there.
const STEPS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400];

export function bucketsOf(times: number[]): Bucket[] {
  if (times.length === 0) return [];
  const first = times.reduce((one, other) => Math.min(one, other));
  const last = times.reduce((one, other) => Math.max(one, other));
  const wanted = (last - first) / 1000 / BARS;
  const step = 1000 * (STEPS.find((seconds) => seconds >= wanted) ?? Math.ceil(wanted));
  const begin = Math.floor(first / step) * step;
  const buckets = Array.from({ length: Math.floor((last - begin) / step) + 1 }, (_, at) => ({
    from: begin + at * step,
    to: begin + (at + 1) * step,
    size: 0,
  }));
  for (const time of times) buckets[Math.floor((time - begin) / step)].size += 1;
  return buckets;
}

const clock = (time: number, isDay: boolean): string => {
  const local = localTime(new Date(time));
  return isDay ? local.slice(0, 10) : local.slice(5, 16);
};

function labelOf({ from, to, size }: Bucket, noun: string): string {
  return `${counted(size, noun)} from ${localTime(new Date(from))} to ${localTime(new Date(to))}`;
}

function Bars({ buckets, noun, high, chosen, choose }: Omit<TimeLineProps, "title" | "first"> & { high: number }) {
  const frame = useRef<HTMLOListElement>(null);
  // By the object model, as the policy of the page wants it.
  useEffect(() => {
    frame.current?.querySelectorAll<HTMLElement>(".bar").forEach((bar, at) => {
      const { size } = buckets[at];
      bar.style.height = size === 0 ? "0" : `${Math.max(4, (100 * size) / high)}%`;
    });
  });
  return (
    <ol ref={frame} class="bars">
      {buckets.map((bucket) =>
        bucket.size === 0 ? (
          <li key={bucket.from} aria-hidden="true">
            <span class="bar" />
          </li>
        ) : (
          <li key={bucket.from}>
            <button
              type="button"
              aria-pressed={chosen === bucket.from}
              aria-label={labelOf(bucket, noun)}
              title={labelOf(bucket, noun)}
              onClick={() => choose(chosen === bucket.from ? null : bucket)}
            >
              <span class="bar" />
            </button>
          </li>
        ),
      )}
    </ol>
  );
}

interface TimeLineProps {
  title: string;
  // When the first is due.
  first: number;
  buckets: Bucket[];
  noun: string;
  // The beginning of the bar that is pressed.
  chosen: number | null;
  choose: (bucket: Bucket | null) => void;
}

export function TimeLine({ title, first, buckets, noun, chosen, choose }: TimeLineProps) {
  if (buckets.length === 0) return null;
  const high = buckets.reduce((most, { size }) => Math.max(most, size), 1);
  const { from } = buckets[0];
  const { to } = buckets.at(-1)!;
  const step = (to - from) / buckets.length / 1000;
  const isDay = step >= 86400;
  const marks = buckets.length < 3 ? [from, to] : [from, (from + to) / 2, to];
  return (
    <figure class="time-line" aria-label={title}>
      <figcaption>
        <h2>{title}</h2>
        <span class="beside">
          a bar is {span(step)}, the highest {counted(high, noun)}
        </span>
      </figcaption>
      <Bars buckets={buckets} noun={noun} high={high} chosen={chosen} choose={choose} />
      <div class="marks">
        {marks.map((time) => (
          <span key={time}>
            {clock(time, isDay)}
            {!isDay && !isSameZone(new Date(time)) && (
              <span class="beside"> {utcTime(new Date(time)).slice(11, 16)}Z</span>
            )}
          </span>
        ))}
      </div>
      <p class="hint">
        Press a bar to see what is due then. Until the first: <Until at={new Date(first).toISOString()} />.
      </p>
    </figure>
  );
}
