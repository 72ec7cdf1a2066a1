// EntityForm: creates an entity, or changes one. Which fields there are, and what they mean, the .proto says.

import meanings from "wharf:meanings";

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { useDeed } from "../api/hooks";
import { type Kind, createEntity, subscriptionPath, updateEntity } from "../api/paths";
import { go } from "../api/route";
import type { Description } from "../api/types";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Check, Choice, Field } from "../parts/field";
import { notice } from "../parts/notice";
import { durationOf, spanOf, writtenNumber } from "../text/numbers";
import { enumWords, words } from "../text/words";
import { EVERYTHING, FirstRule, firstRuleOf } from "./first_rule";

export interface Meaning {
  name: string;
  type: string;
  meaning: string;
}

const MESSAGES: Record<Kind, string> = {
  queue: "QueueProperties",
  topic: "TopicProperties",
  subscription: "SubscriptionProperties",
};
const PREFIXES: Record<string, string> = {
  EntityStatus: "ENTITY_STATUS_",
  SessionExpiryScope: "SESSION_EXPIRY_SCOPE_",
  Backoff: "BACKOFF_",
};
// Set by the broker.
const NOT_WRITTEN = new Set(["etag"]);

export function meaningsOf(kind: Kind): Meaning[] {
  return meanings.properties[MESSAGES[kind]];
}

export function isFixed({ name, meaning }: Meaning): boolean {
  return meaning.includes("Fixed at creation") || name === "topic";
}

// What a property is, to a person.
export function valueWords(type: string, value: unknown): string {
  if (value === undefined || value === null || value === "") return "none";
  if (type === "Duration") return spanOf(String(value));
  if (type in PREFIXES) return enumWords(String(value), PREFIXES[type]);
  if (type === "bool") return value === true ? "yes" : "no";
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([name, part]) => `${words(name).toLowerCase()} ${valueWords(typeOfPart(name), part)}`)
      .join(", ");
  }
  return String(value);
}

function typeOfPart(name: string): string {
  return meanings.properties.RetryPolicy.find((field) => field.name === name)?.type ?? "";
}

// As they are written: text for all but switches.
type Written = Record<string, string | boolean>;

function writtenOf(fields: Meaning[], description: Description): Written {
  const written: Written = {};
  for (const { name, type } of fields) {
    const value = description[name];
    if (type === "RetryPolicy") {
      const policy = (value ?? {}) as Record<string, unknown>;
      for (const part of meanings.properties.RetryPolicy)
        written[`${name}.${part.name}`] = writtenValue(part.type, policy[part.name]);
    } else {
      written[name] = isSwitch(type, name) ? (value ?? DEFAULT_ON.has(name)) === true : writtenValue(type, value);
    }
  }
  return written;
}

// What is on unless somebody says otherwise.
const DEFAULT_ON = new Set(["enableBatchedOperations", "deadLetteringOnFilterEvaluationExceptions"]);
// What it is unless somebody says otherwise depends on other properties: so it has a third value, that nobody does.
const HANGS_ON_OTHERS = "supportOrdering";
const YES_OR_NO: [string, string][] = [
  ["", "default"],
  ["true", "yes"],
  ["false", "no"],
];

const isSwitch = (type: string, name: string): boolean => type === "bool" && name !== HANGS_ON_OTHERS;

function writtenValue(type: string, value: unknown): string {
  if (value === undefined || value === null) return "";
  return type === "Duration" ? spanOf(String(value)) : String(value);
}

function valueOf(type: string, text: string): unknown {
  if (type === "Duration") return durationOf(text);
  if (type === "int32" || type === "double") return writtenNumber(text);
  if (type === "bool") return text === "true";
  return text;
}

function descriptionOf(fields: Meaning[], written: Written): Description {
  const description: Description = {};
  for (const { name, type } of fields) {
    if (type === "RetryPolicy") {
      const parts = meanings.properties.RetryPolicy.filter((part) => written[`${name}.${part.name}`] !== "");
      if (parts.length > 0) {
        description[name] = Object.fromEntries(
          parts.map((part) => [part.name, valueOf(part.type, String(written[`${name}.${part.name}`]))]),
        );
      }
    } else if (isSwitch(type, name)) {
      description[name] = written[name];
    } else if (written[name] !== "") {
      description[name] = valueOf(type, String(written[name]));
    }
  }
  return description;
}

interface InputProps {
  field: Meaning;
  name: string;
  written: Written;
  set: (name: string, value: string | boolean) => void;
}

function Input({ field, name, written, set }: InputProps) {
  const label = words(name.includes(".") ? name.replace(".", " ") : name);
  if (isSwitch(field.type, name))
    return (
      <Check label={label} hint={field.meaning} value={written[name] === true} set={(value) => set(name, value)} />
    );
  if (field.type in PREFIXES || field.type === "bool") {
    const options =
      field.type === "bool"
        ? YES_OR_NO
        : meanings.enums[field.type].map((value): [string, string] => {
            const text = enumWords(value, PREFIXES[field.type]);
            return text === "unspecified" ? ["", "default"] : [value, text];
          });
    return (
      <Choice
        label={label}
        hint={field.meaning}
        value={String(written[name])}
        set={(value) => set(name, value)}
        options={options}
      />
    );
  }
  const hint = field.type === "Duration" ? `${field.meaning} Written as 30s, 5m, 1h 30m or 7d.` : field.meaning;
  return <Field label={label} hint={hint} value={String(written[name])} set={(value) => set(name, value)} />;
}

function Inputs({ fields, written, set }: { fields: Meaning[]; written: Written; set: InputProps["set"] }) {
  return (
    <>
      {fields.map((field) =>
        field.type === "RetryPolicy" ? (
          <fieldset key={field.name}>
            <legend>{words(field.name)}</legend>
            {meanings.properties.RetryPolicy.map((part) => (
              <Input key={part.name} field={part} name={`${field.name}.${part.name}`} written={written} set={set} />
            ))}
          </fieldset>
        ) : (
          <Input key={field.name} field={field} name={field.name} written={written} set={set} />
        ),
      )}
    </>
  );
}

interface FormProps {
  kind: Kind;
  before: Description;
  verb: string;
  isNew: boolean;
  deed: (description: Description) => Promise<void>;
  close: () => void;
  // What it is created with, behind its name.
  children?: ComponentChildren;
}

function EntityForm({ kind, before, verb, isNew, deed, close, children }: FormProps) {
  const fields = meaningsOf(kind).filter((field) => !NOT_WRITTEN.has(field.name) && (isNew || !isFixed(field)));
  const [written, setWritten] = useState(() => writtenOf(fields, before));
  const { run, isRunning, failure } = useDeed(async () => {
    await deed(descriptionOf(fields, written));
    close();
  });
  const set = (name: string, value: string | boolean) => setWritten((all) => ({ ...all, [name]: value }));
  const first = fields.filter((field) => field.name === "name" || field.name === "topic");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Inputs fields={first} written={written} set={set} />
      {children}
      <Inputs fields={fields.filter((field) => !first.includes(field))} written={written} set={set} />
      <Failure of={failure} />
      <div class="buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="main" disabled={isRunning}>
          {verb}
        </button>
      </div>
    </form>
  );
}

// With `topic`: a subscription of it.
export function CreateEntity({ topic, close }: { topic?: string; close: () => void }) {
  const [kind, setKind] = useState<Kind>(topic === undefined ? "queue" : "subscription");
  const [rule, setRule] = useState(EVERYTHING);
  const create = async (description: Description) => {
    await createEntity(kind, description, kind === "subscription" ? firstRuleOf(rule) : undefined);
    const path =
      kind === "subscription"
        ? subscriptionPath(String(description.topic), String(description.name))
        : String(description.name);
    notice(`The ${kind} ${path} is created.`);
    go("entity", path);
  };
  return (
    <Dialog title={topic === undefined ? "Create an entity" : `Create a subscription of ${topic}`} close={close}>
      {topic === undefined && (
        <Choice
          label="Kind"
          value={kind}
          set={(value) => setKind(value as Kind)}
          options={[
            ["queue", "queue"],
            ["topic", "topic"],
            ["subscription", "subscription"],
          ]}
        />
      )}
      <EntityForm
        key={kind}
        kind={kind}
        before={topic === undefined ? {} : { topic }}
        verb="Create"
        isNew
        deed={create}
        close={close}
      >
        {kind === "subscription" && <FirstRule written={rule} set={setRule} />}
      </EntityForm>
    </Dialog>
  );
}

// What is fixed stays as it was read; the etag keeps changes of others from being overwritten.
export function UpdateEntity({
  kind,
  path,
  before,
  close,
}: {
  kind: Kind;
  path: string;
  before: Description;
  close: () => void;
}) {
  const fixed = Object.fromEntries(
    meaningsOf(kind)
      .filter((field) => isFixed(field) || NOT_WRITTEN.has(field.name))
      .map(({ name }) => [name, before[name]]),
  );
  const update = async (description: Description) => {
    await updateEntity(kind, path, { ...description, ...fixed });
    notice(`${path} is changed.`);
  };
  return (
    <Dialog title={`Change ${path}`} close={close}>
      <EntityForm kind={kind} before={before} verb="Change" isNew={false} deed={update} close={close} />
    </Dialog>
  );
}
