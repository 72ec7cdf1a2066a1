// Rule words: what a rule takes, in words.

import type { Rule } from "../api/types";
import { shown } from "../text/values";
import { words } from "../text/words";

export function filterWords(rule: Rule): string {
  if (rule.sqlFilter) return rule.sqlFilter.text;
  if (rule.falseFilter) return "nothing";
  if (!rule.correlationFilter) return "everything";
  const { applicationProperties, ...fields } = rule.correlationFilter;
  const parts = [
    ...Object.entries(fields).map(([name, value]) => `${words(name)} = ${value}`),
    ...Object.entries(applicationProperties ?? {}).map(([name, value]) => `${name} = ${shown(value).text}`),
  ];
  return parts.join(" and ");
}
