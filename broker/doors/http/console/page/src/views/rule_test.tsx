// RuleTest: a message as it might be sent, to try rules with: those of a subscription, or one that is not there yet.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useDeed } from "../api/hooks";
import type { Message, Rule, Verdict } from "../api/types";
import { Failure } from "../parts/failure";
import { Area, Field } from "../parts/field";
import { PropertyTable, rowsOf, systemRows } from "../parts/message";
import { Table } from "../parts/table";
import { durationOf, writtenNumber } from "../text/numbers";
import { LINES_HINT, propertiesOf } from "../text/property_lines";
import { shown } from "../text/values";
import { enumWords } from "../text/words";

const PAGE = 100;

// What rules ask a message for, but for the properties of its application.
export const FIELDS = [
  ["subject", "Subject"],
  ["correlationId", "Correlation id"],
  ["messageId", "Message id"],
  ["to", "To"],
  ["replyTo", "Reply to"],
  ["sessionId", "Session id"],
  ["replyToSessionId", "Reply to session id"],
  ["contentType", "Content type"],
] as const;
// That SQL alone can ask for.
const OF_SQL = [
  ["partitionKey", "Partition key"],
  ["timeToLive", "Time to live"],
  ["priority", "Priority"],
] as const;

export interface Test {
  fields: Record<string, string>;
  lines: string;
}

export const NO_TEST: Test = { fields: {}, lines: "" };

function messageOf({ fields, lines }: Test): Message {
  const { timeToLive = "", priority = "", ...texts } = fields;
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
    ...(timeToLive !== "" && { timeToLive: durationOf(timeToLive) }),
    ...(priority !== "" && { priority: writtenNumber(priority) }),
    applicationProperties: propertiesOf(lines),
  };
}

interface TestProps {
  test: Test;
  set: (test: Test) => void;
}

function TestInputs({ test, set }: TestProps) {
  return (
    <>
      <div class="columns">
        {[...FIELDS, ...OF_SQL].map(([name, label]) => (
          <Field
            key={name}
            label={label}
            value={test.fields[name] ?? ""}
            set={(text) => set({ ...test, fields: { ...test.fields, [name]: text } })}
          />
        ))}
      </div>
      <Area
        label="Properties of the application"
        hint={LINES_HINT}
        rows={3}
        value={test.lines}
        set={(lines) => set({ ...test, lines })}
      />
    </>
  );
}

function lookedAt({ evidence = [] }: Verdict): string {
  const parts = evidence.map(
    ({ name, actual }) => `${name}: ${actual === undefined ? "not there" : shown(actual).text || "null"}`,
  );
  return parts.join("; ") || "–";
}

// An action may have changed all of it.
function Copy({ of: { rule, copy } }: { of: Verdict }) {
  if (copy === undefined) return <>–</>;
  const rows = [...systemRows(copy), ...rowsOf(copy.applicationProperties)];
  return rows.length === 0 ? (
    <>it has no properties</>
  ) : (
    <PropertyTable caption={`Properties of the copy of ${rule || "the rule"}`} rows={rows} />
  );
}

export function Verdicts({ of: verdicts }: { of: Verdict[] }) {
  return (
    <Table
      caption="What the rules say"
      rows={verdicts}
      keyOf={(verdict) => verdict.rule}
      none="There is no rule, so it gets nothing."
      columns={[
        { name: "Rule", cell: (verdict) => verdict.rule || "this one" },
        {
          name: "Says",
          isShort: true,
          cell: (verdict) => <strong>{enumWords(verdict.outcome, "FILTER_OUTCOME_")}</strong>,
        },
        { name: "Looked at", cell: (verdict) => <span class="text">{lookedAt(verdict)}</span> },
        { name: "Why not", cell: (verdict) => <span class="text">{verdict.error?.message ?? "–"}</span> },
        { name: "Its copy", cell: (verdict) => <Copy of={verdict} /> },
      ]}
    />
  );
}

interface Asked {
  // What was asked.
  of: string;
  verdicts: Verdict[];
  isWhole: boolean;
}

// What is written now may not even be a rule.
function isStill(told: Asked | null, asked: () => string): boolean {
  try {
    return told?.of === asked();
  } catch {
    return false;
  }
}

// Of one rule, or of those of a subscription, whose path is given; told as long as that and the message are the same.
function useVerdicts(test: Test, ruleOf: () => Rule | string) {
  const [told, setTold] = useState<Asked | null>(null);
  const asked = (): string => JSON.stringify([ruleOf(), test]);
  const deed = useDeed(async () => {
    setTold(null);
    const of = asked();
    const rule = ruleOf();
    const rules = typeof rule === "string" ? { subscriptionRules: { entityPath: rule, pageSize: PAGE } } : { rule };
    const { verdicts = [], nextPageToken } = await call<{ verdicts?: Verdict[]; nextPageToken: string }>(
      "Topics/EvaluateRule",
      {
        message: messageOf(test),
        ...rules,
      },
    );
    // The broker has a name of its own for a rule without one.
    const named = typeof rule === "string" ? verdicts : verdicts.map((one) => ({ ...one, rule: rule.name }));
    setTold({ of, verdicts: named, isWhole: nextPageToken === "" });
  });
  return { told: isStill(told, asked) ? told : null, ...deed };
}

function Told({ of: told }: { of: Asked | null }) {
  if (told === null) return null;
  return (
    <>
      <Verdicts of={told.verdicts} />
      {!told.isWhole && <p class="hint">These are the first of its rules.</p>}
    </>
  );
}

// All rules of a subscription.
export function Tester({ path, test, set }: TestProps & { path: string }) {
  const { told, run, isRunning, failure } = useVerdicts(test, () => path);
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
      <TestInputs test={test} set={set} />
      <Failure of={failure} />
      <div class="buttons">
        <button type="submit" class="main" disabled={isRunning}>
          Try it
        </button>
      </div>
      <Told of={told} />
    </form>
  );
}

// A rule that is being written; within its form, which it does not send.
export function TryRule({ rule, test, set }: TestProps & { rule: () => Rule }) {
  const [isOpen, setOpen] = useState(false);
  const { told, run, isRunning, failure } = useVerdicts(test, rule);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Would a message match?</summary>
      {isOpen && (
        <div
          class="card"
          role="group"
          aria-label="A message to try it with"
          onKeyDown={(event) => {
            // It would send the form around it.
            if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
            event.preventDefault();
            void run();
          }}
        >
          <p>The rule as it is written is tried with a message like this. Nothing is sent, and nothing is changed.</p>
          <TestInputs test={test} set={set} />
          <Failure of={failure} />
          <div class="buttons">
            <button type="button" onClick={() => run()} disabled={isRunning}>
              Try the rule
            </button>
          </div>
          <Told of={told} />
        </div>
      )}
    </details>
  );
}
