// Numbers: counts, bytes, rates and spans of time as people read them.

const COUNT = new Intl.NumberFormat("en");
const RATE = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function numberOf(value: string | number | undefined): number {
  return Number(value ?? 0);
}

export function count(value: string | number | undefined): string {
  return COUNT.format(numberOf(value));
}

// "1 message", "2 messages".
export function counted(value: string | number | undefined, noun: string): string {
  return `${count(value)} ${noun}${numberOf(value) === 1 ? "" : "s"}`;
}

export function bytes(value: string | number | undefined): string {
  let rest = numberOf(value);
  let unit = 0;
  while (rest >= 1024 && unit + 1 < UNITS.length) {
    rest /= 1024;
    unit += 1;
  }
  return `${RATE.format(rest)} ${UNITS[unit]}`;
}

export function rate(value: number): string {
  return RATE.format(value);
}

const STEPS: [number, string][] = [
  [86400, "d"],
  [3600, "h"],
  [60, "m"],
  [1, "s"],
];

// To the microsecond, which is as fine as the broker keeps times.
const fine = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

// Of seconds: "1h 30m", "-5s".
export function span(seconds: number): string {
  if (seconds < 0) return `-${span(-seconds)}`;
  if (seconds < 1) return seconds === 0 ? "0s" : `${fine(seconds * 1000, 3)}ms`;
  const parts: string[] = [];
  let rest = seconds;
  for (const [size, unit] of STEPS) {
    const whole = unit === "s" ? fine(rest, 6) : fine(Math.floor(rest / size), 0);
    if (whole !== "0") parts.push(`${whole}${unit}`);
    rest -= Number(whole) * size;
  }
  return parts.join(" ");
}

// Of seconds, by its two largest units: "3d 4h".
export function roughly(seconds: number): string {
  return span(Math.round(seconds)).split(" ").slice(0, 2).join(" ");
}

// Of a duration of the API, "90s".
export function spanOf(duration: string): string {
  return span(Number(duration.replace(/s$/, "")));
}

const PART = /(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)/gy;
const SECONDS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 };

// What a person wrote, "1h 30m", "90s" or "-5s", as a duration of the API.
export function durationOf(text: string): string {
  const isNegative = text.trimStart().startsWith("-");
  const trimmed = text.trim().replace(/^-/, "");
  let seconds = 0;
  let end = 0;
  PART.lastIndex = 0;
  for (let part = PART.exec(trimmed); part !== null; part = PART.exec(trimmed)) {
    seconds += Number(part[1]) * SECONDS[part[2]];
    while (trimmed[PART.lastIndex] === " ") PART.lastIndex += 1;
    end = PART.lastIndex;
  }
  if (trimmed === "" || end !== trimmed.length)
    throw new Error(`"${text}" is no duration: write 30s, 5m, 1h 30m or 7d`);
  return `${isNegative && seconds > 0 ? "-" : ""}${Number(seconds.toFixed(6))}s`;
}

// What a person wrote where a number is wanted; JSON has none that is not finite.
export function writtenNumber(text: string, kind = "number"): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new Error(`"${text}" is no ${kind}`);
  return number;
}

// "1, 5, 20-40": each number that is meant, as the API has them; at most so many.
export function numberRanges(text: string, most: number): string[] {
  const numbers: string[] = [];
  for (const part of text.split(/[\s,;]+/).filter((part) => part !== "")) {
    const [, first, last = first] = /^(\d{1,19})(?:-(\d{1,19}))?$/.exec(part) ?? [];
    if (first === undefined || BigInt(last) < BigInt(first))
      throw new Error(`"${part}" is no number and no range: write 5 or 20-40`);
    if (BigInt(last) - BigInt(first) >= BigInt(most - numbers.length))
      throw new Error(`at most ${count(most)} numbers go at a time`);
    for (let number = BigInt(first); number <= BigInt(last); number += 1n) numbers.push(number.toString());
  }
  if (numbers.length === 0) throw new Error(`"${text}" names no number: write 5 or 20-40`);
  return numbers;
}
