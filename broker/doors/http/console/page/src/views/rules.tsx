// Rules: which messages a subscription gets; adds, changes and removes rules, and tells of a message whether it would
// match.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked, useDeed } from "../api/hooks";
import { may } from "../api/presence";
import type { Rule, Verdict } from "../api/types";
import { Confirm } from "../parts/confirm";
import { Failure } from "../parts/failure";
import { Area, Field } from "../parts/field";
import { PropertyTable } from "../parts/message";
import { Moment } from "../parts/moment";
import { notice } from "../parts/notice";
import { Table } from "../parts/table";
import { TokenPager, useTokens } from "../parts/token_pager";
import { LINES_HINT, propertiesOf } from "../text/property_lines";
import { shown } from "../text/values";
import { enumWords } from "../text/words";
import { AddRule, ChangeRule } from "./rule_form";
import { filterWords } from "./rule_words";

const PAGE = 100;

function Tester({ path }: { path: string }) {
  const [subject, setSubject] = useState("");
  const [correlationId, setCorrelation] = useState("");
  const [lines, setLines] = useState("");
  const [verdicts, setVerdicts] = useState<Verdict[] | null>(null);
  const [isWhole, setWhole] = useState(true);
  const { run, isRunning, failure } = useDeed(async () => {
    setVerdicts(null);
    const message = {
      ...(subject && { subject }),
      ...(correlationId && { correlationId }),
      applicationProperties: propertiesOf(lines),
    };
    const told = await call<{ verdicts?: Verdict[]; nextPageToken: string }>("Topics/EvaluateRule", {
      message,
      subscriptionRules: { entityPath: path, pageSize: PAGE },
    });
    setVerdicts(told.verdicts ?? []);
    setWhole(told.nextPageToken === "");
  });
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <h2>Would it match?</h2>
      <p>A message with these properties is tried with each rule. Nothing is sent.</p>
      <div class="columns">
        <Field label="Subject" value={subject} set={setSubject} />
        <Field label="Correlation id" value={correlationId} set={setCorrelation} />
      </div>
      <Area label="Properties of the application" hint={LINES_HINT} rows={3} value={lines} set={setLines} />
      <Failure of={failure} />
      <div class="buttons">
        <button type="submit" class="main" disabled={isRunning}>
          Try it
        </button>
      </div>
      {verdicts !== null && (
        <Table
          caption="What the rules say"
          rows={verdicts}
          keyOf={(verdict) => verdict.rule}
          none="There is no rule, so it gets nothing."
          columns={[
            { name: "Rule", cell: (verdict) => verdict.rule },
            { name: "Says", cell: (verdict) => <strong>{enumWords(verdict.outcome, "FILTER_OUTCOME_")}</strong> },
            {
              name: "Looked at",
              cell: (verdict) =>
                (verdict.evidence ?? [])
                  .map(
                    ({ name, actual }) =>
                      `${name}: ${actual === undefined ? "not there" : shown(actual).text || "null"}`,
                  )
                  .join("; ") || "–",
            },
            { name: "Why not", cell: (verdict) => verdict.error?.message ?? "–" },
            {
              name: "Its copy",
              cell: (verdict) => {
                const rows = Object.entries(verdict.copy?.applicationProperties ?? {}).map(([name, value]) => ({
                  name,
                  type: shown(value).type,
                  value: shown(value).text,
                }));
                return rows.length === 0 ? (
                  "–"
                ) : (
                  <PropertyTable caption={`Properties of the copy of ${verdict.rule}`} rows={rows} />
                );
              },
            },
          ]}
        />
      )}
      {verdicts !== null && !isWhole && <p class="hint">These are the first of its rules.</p>}
    </form>
  );
}

export function Rules({ path }: { path: string }) {
  const tokens = useTokens();
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
      <Tester path={path} />
      {isAdding && (
        <AddRule
          path={path}
          close={() => {
            setAdding(false);
            again();
          }}
        />
      )}
      {changed !== null && (
        <ChangeRule
          path={path}
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
