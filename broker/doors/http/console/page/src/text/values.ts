// Values: a typed property of a message, to a person and back.

import type { PropertyValue } from "../api/types";
import { base64Of, bytesOf, bytesOfHex, hexOf } from "./bytes";
import { durationOf, spanOf, writtenNumber } from "./numbers";

// What can be written by hand.
export const KINDS = [
  "string",
  "bool",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "float",
  "double",
  "decimal",
  "char",
  "uuid",
  "timestamp",
  "timespan",
  "uri",
  "null",
] as const;
export type KindOfValue = (typeof KINDS)[number];

export interface Shown {
  type: string;
  text: string;
}

function textOf(type: string, value: unknown): string {
  switch (type) {
    case "uuid":
      return hexOf(bytesOf(String(value))).replace(/^(.{8})(.{4})(.{4})(.{4})(.*)$/, "$1-$2-$3-$4-$5");
    case "encoded":
      return hexOf(bytesOf(String(value)));
    case "char":
      return String.fromCodePoint(Number(value));
    case "timespan":
      return spanOf(String(value));
    default:
      return String(value);
  }
}

export function shown(value: PropertyValue): Shown {
  const [field] = Object.keys(value);
  if (field === undefined) return { type: "null", text: "" };
  const type = field.replace(/Value$/, "");
  return { type, text: textOf(type, value[field]) };
}

// As texts in the JSON of protobuf.
const NOT_FINITE = new Set(["Infinity", "-Infinity", "NaN"]);
// With all its digits, of which a Date keeps three.
const TIME_OF_API = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

export function made(kind: KindOfValue, text: string): PropertyValue {
  switch (kind) {
    case "null":
      return {};
    case "bool":
      if (text !== "true" && text !== "false") throw new Error(`"${text}" is no bool: write true or false`);
      return { boolValue: text === "true" };
    case "int8":
    case "int16":
    case "int32":
    case "uint8":
    case "uint16":
    case "uint32":
      return { [`${kind}Value`]: writtenNumber(text, kind) };
    case "float":
    case "double":
      return { [`${kind}Value`]: NOT_FINITE.has(text) ? text : writtenNumber(text, kind) };
    case "char":
      if ([...text].length !== 1) throw new Error("a char is one character");
      return { charValue: text.codePointAt(0) };
    case "uuid":
      return { uuidValue: base64Of(bytesOfHex(text)) };
    case "timespan":
      return { timespanValue: durationOf(text) };
    case "timestamp": {
      const time = new Date(text);
      if (Number.isNaN(time.getTime())) throw new Error(`"${text}" is no time: write 2026-01-31T12:00:00Z`);
      return { timestampValue: TIME_OF_API.test(text) ? text : time.toISOString() };
    }
    default:
      return { [`${kind}Value`]: text };
  }
}
