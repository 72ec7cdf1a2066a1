// Property lines: the properties of an application as lines that one writes by hand, and back.
//
// "color = red", a line each: numbers, true and false are what they look like, unless the type is said:
// "code (string) = 007".

import type { Properties, PropertyValue } from "../api/types";
import { KINDS, type KindOfValue, made, shown } from "./values";

export const LINES_HINT =
  "One a line: color = red. Numbers, true and false are what they look like; else say the type: code (string) = 007.";

function kindOf(text: string): KindOfValue {
  if (text === "true" || text === "false") return "bool";
  if (/^-?\d+$/.test(text)) return "int64";
  return /^-?\d+\.\d+$/.test(text) ? "double" : "string";
}

function lineOf(name: string, value: PropertyValue): string {
  const { type, text } = shown(value);
  const isPlain = kindOf(text) === type && text === text.trim();
  const line = isPlain ? `${name} = ${text}` : `${name} (${type}) = ${text}`;
  return line.replace(/\r\n?|\n/g, "⏎");
}

export function linesOf(properties: Properties = {}): string {
  return Object.entries(properties)
    .map(([name, value]) => lineOf(name, value))
    .join("\n");
}

function propertyOf(line: string): [string, PropertyValue] {
  const at = line.indexOf("=");
  if (at < 0) throw new Error(`"${line}" is no property: write name = value`);
  const text = line.slice(at + 1).trim();
  const named = line.slice(0, at).trim();
  const [, name, kind] = /^(.*?)\s*\(([a-z0-9]+)\)$/.exec(named) ?? [null, named, kindOf(text)];
  if (!(KINDS as readonly string[]).includes(kind))
    throw new Error(`"${kind}" is no type: write one of ${KINDS.join(", ")}`);
  return [name, made(kind as KindOfValue, text)];
}

// A line that is as linesOf has written it is the value of before, whatever its type.
export function propertiesOf(lines: string, before: Properties = {}): Properties {
  const known = new Map(Object.entries(before).map(([name, value]) => [lineOf(name, value), { name, value }]));
  const properties = new Map<string, PropertyValue>();
  for (const line of lines.split("\n").filter((line) => line.trim() !== "")) {
    const kept = known.get(line);
    const [name, value] = kept === undefined ? propertyOf(line) : [kept.name, kept.value];
    if (name === "") throw new Error(`"${line}" has no name`);
    addOnce(properties, name, value);
  }
  return Object.fromEntries(properties);
}

// In a Map first: there a property may have any name, also one that every object of JavaScript has.
export function addOnce(properties: Map<string, PropertyValue>, name: string, value: PropertyValue): void {
  if (properties.has(name)) throw new Error(`two properties are called "${name}"`);
  properties.set(name, value);
}
