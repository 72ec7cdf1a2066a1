// FirstRule: which messages a subscription gets from its first one on. It is created with it: a rule that is added later
// comes too late for what was sent before.

import { useState } from "preact/hooks";

import type { Rule } from "../api/types";
import { Field } from "../parts/field";
import { RuleInputs, type Written, ruleOf, writtenOf } from "./rule_form";
import { NO_TEST, TryRule } from "./rule_test";

const DEFAULT: Rule = { name: "$Default", trueFilter: {}, etag: "" };

export const EVERYTHING: Written = writtenOf(DEFAULT);

export const firstRuleOf = (written: Written): Rule => ruleOf(written, DEFAULT);

export function FirstRule({ written, set }: { written: Written; set: (written: Written) => void }) {
  const [test, setTest] = useState(NO_TEST);
  const change = (part: Partial<Written>) => set({ ...written, ...part });
  return (
    <fieldset>
      <legend>Its first rule</legend>
      <Field label="Name of the rule" value={written.name} set={(name) => change({ name })} />
      <RuleInputs written={written} set={change} />
      <TryRule rule={() => firstRuleOf(written)} test={test} set={setTest} />
    </fieldset>
  );
}
