// Chart: numbers over the last minutes, drawn by uPlot, and told in words to who does not see it.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { count } from "../text/numbers";
import { localTime } from "../text/times";

// So many looks are kept.
export const POINTS_MAX = 300;
// So much time is shown at least.
const SECONDS_MIN = 60;

export interface Series {
  // Seconds since 1970.
  times: number[];
  values: Record<string, number[]>;
}

export function withPoint(series: Series, time: number, values: Record<string, number>): Series {
  const kept = Object.entries(values).map(([name, value]) => [
    name,
    [...(series.values[name] ?? []), value].slice(-POINTS_MAX),
  ]);
  return { times: [...series.times, time].slice(-POINTS_MAX), values: Object.fromEntries(kept) };
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const clock = (seconds: number): string => localTime(new Date(seconds * 1000)).slice(11);

// Without points there is neither a first nor a last.
function rangeOf(first: number | null, last: number | null): [number, number] {
  const end = last ?? Date.now() / 1000;
  return [Math.min(first ?? end, end - SECONDS_MIN), end];
}

function optionsOf(names: string[], width: number): uPlot.Options {
  // Of the size that letters have here: larger on a wall.
  const letter = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.75;
  const axis = {
    font: `${letter}px system-ui, sans-serif`,
    stroke: colour("--ink-soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1 },
  };
  return {
    width,
    height: 200,
    cursor: { show: true },
    // Its own rows would be read out as a table without words.
    legend: { show: false },
    scales: {
      x: { time: true, range: (_, first, last) => rangeOf(first, last) },
      y: { range: (_, __, high) => [0, Math.max(1, high * 1.1)] },
    },
    axes: [
      { ...axis, space: letter * 7, values: (_, ticks) => ticks.map(clock) },
      { ...axis, size: letter * 5, values: (_, ticks) => ticks.map((tick) => count(tick)) },
    ],
    series: [
      {},
      ...names.map((name, at) => ({
        label: name,
        width: 2,
        stroke: colour(`--series-${at + 1}`),
        dash: at === 1 ? [6, 3] : at === 2 ? [2, 3] : undefined,
      })),
    ],
  };
}

interface ChartProps {
  title: string;
  series: Series;
  names: string[];
}

// It has its place before it has points, so that nothing moves when they come.
export function Chart({ title, series, names }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const key = names.join();

  useEffect(() => {
    const frame = place.current;
    if (frame === null) return;
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(names, frame.clientWidth), dataOf(), frame);
    };
    const dataOf = (): uPlot.AlignedData => latest.current;
    make();
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: frame.clientWidth, height: 200 }));
    resized.observe(frame);
    const scheme = window.matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", make);
    return () => {
      resized.disconnect();
      scheme.removeEventListener("change", make);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [key]);

  const latest = useRef<uPlot.AlignedData>([[]]);
  // Of a single point uPlot makes a day.
  const isDrawn = series.times.length > 1;
  latest.current = isDrawn
    ? [series.times, ...names.map((name) => series.values[name] ?? [])]
    : [[], ...names.map(() => [])];
  useEffect(() => plot.current?.setData(latest.current), [series]);

  const last = names.map((name) => `${name} ${count(Math.round(series.values[name]?.at(-1) ?? 0))}`).join(", ");
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {names.map((name, at) => (
            <li key={name}>
              <span class={`swatch series-${at + 1}`} aria-hidden="true" /> {name}:{" "}
              {count(Math.round((series.values[name]?.at(-1) ?? 0) * 100) / 100)}
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={place} role="img" aria-label={`${title}, last: ${last}`} />
    </figure>
  );
}
