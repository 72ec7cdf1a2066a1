// Rules: which messages a subscription gets; adds, changes and removes rules.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked } from "../api/hooks";
import { may } from "../api/presence";
import type { Rule } from "../api/types";
import { Confirm } from "../parts/confirm";
import { Failure } from "../parts/failure";
import { Moment } from "../parts/moment";
import { notice } from "../parts/notice";
import { Table } from "../parts/table";
import { TokenPager, useTokens } from "../parts/token_pager";
import { AddRule, ChangeRule } from "./rule_form";
import { NO_TEST, Tester } from "./rule_test";
import { filterWords } from "./rule_words";

const PAGE = 100;

export function Rules({ path }: { path: string }) {
  const tokens = useTokens();
  // What was written to try the rules with is there for one that is added, too.
  const [test, setTest] = useState(NO_TEST);
  const [isAdding, setAdding] = useState(false);
  const [changed, setChanged] = useState<Rule | null>(null);
  const [removed, setRemoved] = useState<Rule | null>(null);
  const { data, failure, again } = useAsked(
    (signal) =>
      call<{ rules?: Rule[]; nextPageToken: string }>(
        "Topics/ListRules",
        { entityPath: path, pageSize: PAGE, pageToken: tokens.token },
        signal,
      ),
    [path, tokens.token],
  );
  const isManaged = may("Manage", path);
  return (
    <section aria-label="Rules">
      <div class="head">
        <h2>Rules</h2>
        {isManaged && (
          <button type="button" class="main" onClick={() => setAdding(true)}>
            Add a rule…
          </button>
        )}
      </div>
      <Failure of={failure} />
      {data !== null && (
        <Table
          caption="Rules"
          rows={data.rules ?? []}
          keyOf={(rule) => rule.name}
          none="There is no rule, so this subscription gets nothing."
          columns={[
            { name: "Name", cell: (rule) => rule.name },
            { name: "Takes", cell: (rule) => <code class="text">{filterWords(rule)}</code> },
            { name: "Action", cell: (rule) => (rule.action ? <code class="text">{rule.action.text}</code> : "–") },
            { name: "Created", cell: (rule) => <Moment at={rule.createdAt} /> },
            ...(isManaged
              ? [
                  {
                    name: "Deeds",
                    cell: (rule: Rule) => (
                      <div class="buttons">
                        <button type="button" onClick={() => setChanged(rule)} aria-label={`Change rule ${rule.name}`}>
                          Change…
                        </button>
                        <button
                          type="button"
                          class="danger"
                          onClick={() => setRemoved(rule)}
                          aria-label={`Remove rule ${rule.name}`}
                        >
                          Remove…
                        </button>
                      </div>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      <TokenPager tokens={tokens} next={data?.nextPageToken ?? ""} noun="rules" />
      <Tester path={path} test={test} set={setTest} />
      {isAdding && (
        <AddRule
          path={path}
          test={test}
          setTest={setTest}
          close={() => {
            setAdding(false);
            again();
          }}
        />
      )}
      {changed !== null && (
        <ChangeRule
          path={path}
          test={test}
          setTest={setTest}
          rule={changed}
          close={() => {
            setChanged(null);
            again();
          }}
        />
      )}
      {removed !== null && (
        <Confirm
          title={`Remove rule ${removed.name}?`}
          verb="Remove 1 rule"
          close={() => setRemoved(null)}
          deed={async () => {
            await call("Topics/RemoveRule", { entityPath: path, name: removed.name, etag: removed.etag });
            notice(`Rule ${removed.name} is removed.`);
            again();
          }}
        >
          <p>
            This removes 1 of {data?.rules?.length ?? 0} rules. What is sent from then on is no longer taken by it; what
            is there stays.
          </p>
        </Confirm>
      )}
    </section>
  );
}
