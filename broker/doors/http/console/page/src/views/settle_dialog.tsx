// SettleDialog: a message that was received is put back or aside with more said: for how long it rests, why it is a dead
// letter, which of its properties are others from then on.

import { useState } from "preact/hooks";

import { Confirm } from "../parts/confirm";
import { Area, Choice, Field } from "../parts/field";
import { TimeField, timeOf } from "../parts/time_field";
import { durationOf } from "../text/numbers";
import { LINES_HINT, propertiesOf } from "../text/property_lines";

export type Verb = "abandon" | "defer" | "deadLetter";

const WORDS: Record<Verb, [verb: string, done: string]> = {
  abandon: ["Abandon", "abandoned"],
  defer: ["Defer", "deferred"],
  deadLetter: ["Dead-letter", "dead-lettered"],
};

interface Written {
  delay: string;
  until: string;
  reason: string;
  description: string;
  lines: string;
}

const NOTHING: Written = { delay: "", until: "", reason: "", description: "", lines: "" };

function restOf({ delay, until }: Written): object {
  if (delay.trim() !== "" && until !== "") throw new Error("say how long it rests, or until when, not both");
  if (delay.trim() !== "") return { delay: durationOf(delay) };
  return until === "" ? {} : { availableAt: timeOf(until) };
}

function settlementOf(verb: Verb, written: Written): object {
  const { reason, description, lines } = written;
  const more =
    verb === "abandon"
      ? restOf(written)
      : verb === "deadLetter"
        ? { ...(reason && { reason }), ...(description && { description }) }
        : {};
  return { [verb]: { ...more, ...(lines.trim() !== "" && { propertiesToModify: propertiesOf(lines) }) } };
}

interface SettleDialogProps {
  // What one may choose from; the first is chosen.
  verbs: Verb[];
  settle: (verb: object, done: string) => Promise<void>;
  close: () => void;
}

export function SettleDialog({ verbs, settle, close }: SettleDialogProps) {
  const [verb, setVerb] = useState(verbs[0]);
  const [written, setWritten] = useState(NOTHING);
  const set = (part: Partial<Written>) => setWritten((all) => ({ ...all, ...part }));
  const [word, done] = WORDS[verb];
  return (
    <Confirm
      title={`${word} 1 message?`}
      verb={`${word} 1 message`}
      keep="Keep it"
      close={close}
      deed={() => settle(settlementOf(verb, written), done)}
    >
      {verbs.length > 1 && (
        <Choice
          label="How"
          value={verb}
          set={(value) => setVerb(value as Verb)}
          options={verbs.map((one): [string, string] => [one, WORDS[one][0]])}
        />
      )}
      {verb === "abandon" && (
        <div class="columns">
          <Field
            label="It rests for"
            hint="30s, 5m, 1h; empty: as the entity says"
            value={written.delay}
            set={(delay) => set({ delay })}
          />
          <TimeField label="Or until" value={written.until} set={(until) => set({ until })} />
        </div>
      )}
      {verb === "deadLetter" && (
        <>
          <Field label="Reason" value={written.reason} set={(reason) => set({ reason })} />
          <Field label="Description" value={written.description} set={(description) => set({ description })} />
        </>
      )}
      <Area
        label="Properties to set"
        hint={`Others stay as they are. ${LINES_HINT}`}
        rows={2}
        value={written.lines}
        set={(lines) => set({ lines })}
      />
    </Confirm>
  );
}
