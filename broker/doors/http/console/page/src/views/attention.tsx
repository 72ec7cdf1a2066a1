// Attention: what an operator has to see to, a sentence each; or that there is nothing.

import type { ComponentChildren } from "preact";

import { addressOf } from "../api/route";
import type { Statistics } from "../api/types";
import { counted } from "../text/numbers";
import { type All, most, quarantinedOf, sumOf } from "./all_entities";

export function troublesOf({ damagedFiles, alarms = [], cluster }: Statistics, all: All | null): ComponentChildren[] {
  const quarantined = all === null ? null : most(all.entities, quarantinedOf);
  return [
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
  ];
}

export function Attention({ of: troubles }: { of: ComponentChildren[] }) {
  if (troubles.length === 0) return <p class="well">Nothing needs you.</p>;
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
