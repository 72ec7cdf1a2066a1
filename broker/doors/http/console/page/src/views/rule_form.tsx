// RuleForm: what a rule shall be; a new one, or another filter and action in the place of those of a rule.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { Refusal, call } from "../api/call";
import { useDeed } from "../api/hooks";
import type { CorrelationFilter, Rule, SqlText } from "../api/types";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Area, Choice, Field } from "../parts/field";
import { notice } from "../parts/notice";
import { LINES_HINT, linesOf, propertiesOf } from "../text/property_lines";
import { FIELDS, type Test, TryRule } from "./rule_test";
import { filterWords } from "./rule_words";

// A rule, as one writes it.
export interface Written {
  name: string;
  kind: string;
  text: string;
  parameters: string;
  fields: Record<string, string>;
  lines: string;
  action: string;
  actionParameters: string;
}

function kindOf(rule: Rule): string {
  if (rule.correlationFilter) return "correlation";
  if (rule.falseFilter) return "false";
  return rule.sqlFilter || rule.name === "" ? "sql" : "true";
}

export function writtenOf(rule: Rule): Written {
  const { applicationProperties, ...fields } = rule.correlationFilter ?? {};
  return {
    name: rule.name,
    kind: kindOf(rule),
    text: rule.sqlFilter?.text ?? "",
    parameters: linesOf(rule.sqlFilter?.parameters),
    fields,
    lines: linesOf(applicationProperties),
    action: rule.action?.text ?? "",
    actionParameters: linesOf(rule.action?.parameters),
  };
}

function sqlOf(text: string, parameters: string, before: SqlText | undefined): SqlText {
  return { text, parameters: propertiesOf(parameters, before?.parameters) };
}

// `before` has the values of types that cannot be written.
function filterOf(written: Written, before: Rule): object {
  if (written.kind === "true") return { trueFilter: {} };
  if (written.kind === "false") return { falseFilter: {} };
  if (written.kind === "sql") return { sqlFilter: sqlOf(written.text, written.parameters, before.sqlFilter) };
  const known = before.correlationFilter?.applicationProperties;
  const correlationFilter: CorrelationFilter = { applicationProperties: propertiesOf(written.lines, known) };
  for (const [name] of FIELDS) if (written.fields[name]) correlationFilter[name] = written.fields[name];
  return { correlationFilter };
}

export function ruleOf(written: Written, before: Rule): Rule {
  const hasAction = written.action.trim() !== "";
  return {
    name: written.name,
    ...filterOf(written, before),
    ...(hasAction && { action: sqlOf(written.action, written.actionParameters, before.action) }),
    etag: before.etag,
  };
}

interface InputsProps {
  written: Written;
  set: (part: Partial<Written>) => void;
}

function FilterInputs({ written, set }: InputsProps) {
  return (
    <>
      <Choice
        label="Filter"
        value={written.kind}
        set={(kind) => set({ kind })}
        options={[
          ["sql", "SQL"],
          ["correlation", "correlation"],
          ["true", "everything"],
          ["false", "nothing"],
        ]}
      />
      {written.kind === "sql" && (
        <>
          <Area
            label="SQL filter"
            hint="color = 'red' AND quantity > 2"
            rows={3}
            value={written.text}
            set={(text) => set({ text })}
          />
          <Area
            label="Parameters of the filter"
            hint={`What it calls @name. ${LINES_HINT}`}
            rows={2}
            value={written.parameters}
            set={(parameters) => set({ parameters })}
          />
        </>
      )}
      {written.kind === "correlation" && (
        <>
          <div class="columns">
            {FIELDS.map(([name, label]) => (
              <Field
                key={name}
                label={label}
                value={written.fields[name] ?? ""}
                set={(value) => set({ fields: { ...written.fields, [name]: value } })}
              />
            ))}
          </div>
          <Area label="Properties" hint={LINES_HINT} rows={3} value={written.lines} set={(lines) => set({ lines })} />
        </>
      )}
    </>
  );
}

function ActionInputs({ written, set }: InputsProps) {
  return (
    <>
      <Area
        label="Action"
        hint="SET priority = 'high'; REMOVE note. Empty: none"
        rows={2}
        value={written.action}
        set={(action) => set({ action })}
      />
      {written.action.trim() !== "" && (
        <Area
          label="Parameters of the action"
          hint={`What it calls @name. ${LINES_HINT}`}
          rows={2}
          value={written.actionParameters}
          set={(actionParameters) => set({ actionParameters })}
        />
      )}
    </>
  );
}

export function RuleInputs(props: InputsProps) {
  return (
    <>
      <FilterInputs {...props} />
      <ActionInputs {...props} />
    </>
  );
}

// What the rule is tried with.
interface Tried {
  test: Test;
  setTest: (test: Test) => void;
}

interface FormProps extends Tried {
  before: Rule;
  verb: string;
  deed: (rule: Rule) => Promise<void>;
  // What is to be known before it is done once more.
  children?: ComponentChildren;
}

function RuleForm({ before, verb, deed, test, setTest, children }: FormProps) {
  const [written, setWritten] = useState(() => writtenOf(before));
  const set = (part: Partial<Written>) => setWritten((all) => ({ ...all, ...part }));
  const { run, isRunning, failure } = useDeed(async () => deed(ruleOf(written, before)));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      {before.name === "" && (
        <Field label="Name" value={written.name} set={(name) => set({ name })} input={{ required: true }} />
      )}
      <RuleInputs written={written} set={set} />
      <TryRule rule={() => ruleOf(written, before)} test={test} set={setTest} />
      <Failure of={failure} />
      {children}
      <div class="buttons">
        <button type="submit" class="main" disabled={isRunning}>
          {verb}
        </button>
      </div>
    </form>
  );
}

interface Place extends Tried {
  // Of the subscription.
  path: string;
  close: () => void;
}

export function AddRule({ path, close, ...tried }: Place) {
  return (
    <Dialog title={`Add a rule to ${path}`} close={close}>
      <RuleForm
        {...tried}
        before={{ name: "", etag: "" }}
        verb="Add"
        deed={async (rule) => {
          await call("Topics/AddRule", { entityPath: path, rule });
          notice(`Rule ${rule.name} is added.`);
          close();
        }}
      />
    </Dialog>
  );
}

// What others have made of it meanwhile is not written over unless that is asked for.
export function ChangeRule({ path, rule, close, ...tried }: Place & { rule: Rule }) {
  const [before, setBefore] = useState(rule);
  const [theirs, setTheirs] = useState<Rule | null>(null);
  const change = async (wanted: Rule, etag: string) => {
    try {
      await call("Topics/UpdateRule", { entityPath: path, rule: { ...wanted, etag } });
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.code === "InvalidOperation") {
        const now = await call<Rule>("Topics/GetRule", { entityPath: path, name: rule.name });
        if (now.etag !== etag) setTheirs(now);
      }
      throw refusal;
    }
    notice(`Rule ${rule.name} is changed.`);
    close();
  };
  return (
    <Dialog title={`Change rule ${rule.name}`} close={close}>
      <p>It holds for what is sent from then on; no message sees the subscription without it.</p>
      <RuleForm
        key={before.etag}
        {...tried}
        before={before}
        verb={theirs === null ? "Change" : "Change it all the same"}
        deed={(wanted) => change(wanted, (theirs ?? before).etag)}
      >
        {theirs !== null && (
          <div class="card" role="status">
            <p>
              Somebody else has changed it meanwhile. It takes <code class="text">{filterWords(theirs)}</code> now, and{" "}
              {theirs.action ? (
                <>
                  does <code class="text">{theirs.action.text}</code>
                </>
              ) : (
                "has no action"
              )}
              .
            </p>
            <div class="buttons">
              <button
                type="button"
                onClick={() => {
                  setBefore(theirs);
                  setTheirs(null);
                }}
              >
                Begin with that
              </button>
            </div>
          </div>
        )}
      </RuleForm>
    </Dialog>
  );
}
