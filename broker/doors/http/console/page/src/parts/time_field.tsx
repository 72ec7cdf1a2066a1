// TimeField: an instant, written in the zone of who looks, and told in UTC beside.

import { isSameZone, utcTime } from "../text/times";
import { Field } from "./field";

// As the API has it.
export function timeOf(local: string): string {
  const time = new Date(local);
  if (local === "" || Number.isNaN(time.getTime())) throw new Error(`"${local}" is no time: say a day and an hour`);
  return time.toISOString();
}

interface TimeFieldProps {
  label: string;
  // Of no time.
  none?: string;
  value: string;
  set: (value: string) => void;
  isRequired?: boolean;
}

function hintOf(value: string, none: string | undefined): string {
  const time = new Date(value);
  const isTime = value !== "" && !Number.isNaN(time.getTime());
  if (isTime) return `That is ${utcTime(time)} in UTC`;
  return [isSameZone(new Date()) ? "In UTC" : "In your zone", none].filter(Boolean).join("; ");
}

export function TimeField({ label, none, value, set, isRequired = false }: TimeFieldProps) {
  return (
    <Field
      label={label}
      hint={hintOf(value, none)}
      value={value}
      set={set}
      input={{ type: "datetime-local", step: "1", required: isRequired }}
    />
  );
}
