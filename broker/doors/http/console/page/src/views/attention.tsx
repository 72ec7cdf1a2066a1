// Attention: what an operator has to see to, a sentence each; or that there is nothing.

import type { ComponentChildren } from "preact";

import { addressOf } from "../api/route";
import type { Statistics } from "../api/types";
import { count, counted, numberOf } from "../text/numbers";
import { type All, most, quarantinedOf, sumOf } from "./all_entities";
import type { Unusable } from "./unusable";

// So many are named.
const NAMED_MAX = 5;

function Places({ of: paths, tab }: { of: string[]; tab: string }) {
  return (
    <>
      {paths.slice(0, NAMED_MAX).map((path, at) => (
        <>
          {at > 0 && ", "}
          <a class="text" href={addressOf("entity", path, tab)}>
            {path}
          </a>
        </>
      ))}
      {paths.length > NAMED_MAX && `, and ${counted(paths.length - NAMED_MAX, "other")}`}
    </>
  );
}

function fencedWords(fencedCount: number, { fenced }: Unusable): ComponentChildren[] {
  if (fencedCount === 0) return [];
  return [
    <>
      {fencedCount === 1 ? "1 entity is" : `${count(fencedCount)} entities are`} fenced, because what is stored does not
      agree: nobody can use {fencedCount === 1 ? "it" : "them"} until that is repaired, by “Check…”
      {fenced.length > 0 && (
        <>
          : <Places of={fenced} tab="overview" />
        </>
      )}
      .
    </>,
  ];
}

function unreadableWords({ unreadable }: Unusable): ComponentChildren[] {
  if (unreadable.length === 0) return [];
  return [
    <>
      {counted(
        unreadable.reduce((sum, { messages }) => sum + messages, 0),
        "dead letter",
      )}{" "}
      cannot be read, in <Places of={unreadable.map(({ path }) => path)} tab="dead-letters" />.
    </>,
  ];
}

export function troublesOf(
  { damagedFiles, alarms = [], cluster, fencedEntityCount }: Statistics,
  all: All | null,
  unusable: Unusable,
): ComponentChildren[] {
  const quarantined = all === null ? null : most(all.entities, quarantinedOf);
  return [
    ...fencedWords(numberOf(fencedEntityCount), unusable),
    ...alarms.map(({ text }) => text),
    ...(damagedFiles ? [`Files that cannot be read: ${damagedFiles}`] : []),
    ...(cluster?.clusterId && !cluster.leader ? ["Nobody leads the cluster."] : []),
    ...(cluster?.trouble ? [cluster.trouble] : []),
    ...(cluster?.members ?? [])
      .filter((member) => !member.reachable && !member.leader)
      .map((member) => `${member.name} is not reached${member.trouble ? `: ${member.trouble}` : ""}.`),
    ...(quarantined === null
      ? []
      : [
          <>
            {counted(sumOf(all!, quarantinedOf), "message")} in quarantine, most in{" "}
            <a href={addressOf("entity", quarantined.entityPath)}>{quarantined.entityPath}</a>: they cannot be read.
          </>,
        ]),
    ...unreadableWords(unusable),
  ];
}

interface AttentionProps {
  of: ComponentChildren[];
  isDone: boolean;
  // All there is was looked at.
  isWhole: boolean;
}

function nothingWords({ isDone, isWhole }: AttentionProps): string {
  if (!isDone) return "Looking whether something needs you…";
  return isWhole
    ? "Nothing needs you."
    : "Nothing needs you in the first lists of entities; the rest was not looked at.";
}

// That there is nothing is not said before all was looked at.
export function Attention(props: AttentionProps) {
  const { of: troubles } = props;
  if (troubles.length === 0) return <p class="well">{nothingWords(props)}</p>;
  return (
    <section class="attention" aria-labelledby="attention">
      <h2 id="attention">{counted(troubles.length, "thing")} to see to</h2>
      <ul>
        {troubles.map((trouble, at) => (
          <li key={at}>{trouble}</li>
        ))}
      </ul>
    </section>
  );
}
