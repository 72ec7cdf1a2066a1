// Times: in the zone of who looks, and in UTC.

const two = (value: number): string => String(value).padStart(2, "0");

export function localTime(time: Date): string {
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":")}`;
}

export function utcTime(time: Date): string {
  return time
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, "Z");
}

// The same zone: then one of them is enough.
export function isSameZone(time: Date): boolean {
  return time.getTimezoneOffset() === 0;
}

export function secondsSince(time: string, now: number = Date.now()): number {
  return Math.max(0, (now - new Date(time).getTime()) / 1000);
}
