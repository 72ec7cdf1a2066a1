// Field: an input with its label, and what to write there.

import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  label: string;
  hint?: string;
  value: string;
  set: (value: string) => void;
  input?: JSX.HTMLAttributes<HTMLInputElement> & {
    type?: string;
    min?: string;
    max?: string;
    step?: string;
    required?: boolean;
    pattern?: string;
  };
}

export function Field({ label, hint, value, set, input }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        autocomplete="off"
        spellcheck={false}
        {...input}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface AreaProps {
  label: string;
  hint?: string;
  value: string;
  set: (value: string) => void;
  rows?: number;
}

export function Area({ label, hint, value, set, rows = 6 }: AreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        spellcheck={false}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  hint?: string;
  value: string;
  set: (value: string) => void;
  options: [value: string, label: string][];
}

export function Choice({ label, hint, value, set, options }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => set(event.currentTarget.value)}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key} selected={key === value}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface CheckProps {
  label: ComponentChildren;
  hint?: string;
  value: boolean;
  set: (value: boolean) => void;
}

export function Check({ label, hint, value, set }: CheckProps) {
  const id = useId();
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface FileFieldProps {
  label: string;
  hint?: string;
  // Null: none.
  set: (file: File | null) => void;
}

export function FileField({ label, hint, set }: FileFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => set(event.currentTarget.files?.[0] ?? null)}
      />
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
