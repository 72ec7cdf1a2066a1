// Subscriptions: those of one topic, with how much waits in each.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked } from "../api/hooks";
import { subscriptionPath } from "../api/paths";
import { addressOf } from "../api/route";
import type { Runtime } from "../api/types";
import { Failure } from "../parts/failure";
import { Table } from "../parts/table";
import { TokenPager, useTokens } from "../parts/token_pager";
import { count } from "../text/numbers";
import { CreateEntity } from "./entity_form";

const PACE = 3000;
const PAGE = 100;

interface Told {
  subscriptions?: { name: string }[];
  runtime?: Runtime[];
  nextPageToken: string;
}

export function Subscriptions({ topic }: { topic: string }) {
  const tokens = useTokens();
  const [isCreating, setCreating] = useState(false);
  const { data, failure, again } = useAsked(
    (signal) =>
      call<Told>("Topics/ListSubscriptions", { entityPath: topic, pageSize: PAGE, pageToken: tokens.token }, signal),
    [topic, tokens.token],
    PACE,
  );
  const rows = (data?.subscriptions ?? []).map(({ name }, at) => ({ name, runtime: data?.runtime?.[at] ?? {} }));
  return (
    <section aria-label="Subscriptions">
      <div class="head">
        <h2>Subscriptions</h2>
        <button type="button" class="main" onClick={() => setCreating(true)}>
          Create…
        </button>
      </div>
      <Failure of={failure} />
      {data !== null && (
        <Table
          caption="Subscriptions"
          rows={rows}
          keyOf={(row) => row.name}
          none="There are none, so nobody gets what is sent."
          columns={[
            {
              name: "Name",
              cell: (row) => <a href={addressOf("entity", subscriptionPath(topic, row.name))}>{row.name}</a>,
            },
            { name: "Active", isNumber: true, cell: (row) => count(row.runtime.activeMessageCount) },
            { name: "Locked", isNumber: true, cell: (row) => count(row.runtime.lockedMessageCount) },
            { name: "Dead letters", isNumber: true, cell: (row) => count(row.runtime.deadLetterMessageCount) },
          ]}
        />
      )}
      <TokenPager tokens={tokens} next={data?.nextPageToken ?? ""} noun="subscriptions" />
      {isCreating && (
        <CreateEntity
          topic={topic}
          close={() => {
            setCreating(false);
            again();
          }}
        />
      )}
    </section>
  );
}
