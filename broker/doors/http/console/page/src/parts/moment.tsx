// Moment: a time in the zone of who looks, with UTC beside it.

import { isSameZone, localTime, utcTime } from "../text/times";

export function Moment({ at }: { at: string | undefined }) {
  if (at === undefined || at === "") return <span class="none">never</span>;
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={at} class="moment">
      {!isSameZone(time) && <span>{localTime(time)}</span>}{" "}
      <span class={isSameZone(time) ? "" : "beside"}>{utcTime(time)}</span>
    </time>
  );
}
