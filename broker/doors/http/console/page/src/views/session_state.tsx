// SessionState: the bytes that the holders of a session keep for each other; looked at, set and cleared by who holds it.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked, useDeed } from "../api/hooks";
import { Confirm } from "../parts/confirm";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Area, Choice } from "../parts/field";
import { notice } from "../parts/notice";
import { base64Of, base64OfText, bytesOf, bytesOfHex, hexOf, textOf } from "../text/bytes";
import { bytes } from "../text/numbers";
import { visible } from "../text/visible";
import type { HeldSession } from "./held";

// More is for a program: a field to write in is slow with it.
const EDITED_MAX = 256 * 1024;

type Form = "text" | "hex";

interface EditorProps {
  path: string;
  session: HeldSession;
  // As it is; null: there is none.
  state: Uint8Array | null;
  close: () => void;
}

function Editor({ path, session, state, close }: EditorProps) {
  const text = textOf(state ?? new Uint8Array());
  const [form, setForm] = useState<Form>(text === null ? "hex" : "text");
  const [written, setWritten] = useState(text ?? hexOf(state!));
  const [isClearing, setClearing] = useState(false);
  const one = { entityPath: path, sessionLockToken: session.sessionLockToken };
  const set = useDeed(async () => {
    const value = form === "text" ? base64OfText(written) : base64Of(bytesOfHex(written));
    await call("Sessions/SetSessionState", { ...one, state: value });
    notice(`The state of session ${visible(session.sessionId)} is set.`);
    close();
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void set.run();
      }}
    >
      <p>{state === null ? "It has none yet." : `It has ${bytes(state.length)} now.`}</p>
      <Choice
        label="State as"
        value={form}
        set={(value) => setForm(value as Form)}
        options={[
          ["text", "text"],
          ["hex", "hexadecimal"],
        ]}
      />
      <Area label="State" value={written} set={setWritten} />
      <Failure of={set.failure} />
      <div class="buttons">
        {state !== null && (
          <button type="button" class="danger" onClick={() => setClearing(true)}>
            Clear it…
          </button>
        )}
        <button type="submit" class="main" disabled={set.isRunning}>
          Set the state
        </button>
      </div>
      {isClearing && (
        <Confirm
          title={`Clear the state of session ${visible(session.sessionId)}?`}
          verb="Clear 1 state"
          close={() => setClearing(false)}
          deed={async () => {
            await call("Sessions/SetSessionState", one);
            notice(`The state of session ${visible(session.sessionId)} is cleared.`);
            close();
          }}
        >
          <p>This removes the {bytes(state?.length)} of 1 session for good.</p>
        </Confirm>
      )}
    </form>
  );
}

export function SessionState({ path, session, close }: { path: string; session: HeldSession; close: () => void }) {
  const { data, failure } = useAsked(
    (signal) =>
      call<{ state?: string }>(
        "Sessions/GetSessionState",
        { entityPath: path, sessionLockToken: session.sessionLockToken },
        signal,
      ),
    [path, session.sessionLockToken],
  );
  const state = data?.state === undefined ? null : bytesOf(data.state);
  return (
    <Dialog title={`State of session ${visible(session.sessionId)}`} close={close}>
      <Failure of={failure} />
      {data !== null && (state?.length ?? 0) <= EDITED_MAX && (
        <Editor path={path} session={session} state={state} close={close} />
      )}
      {state !== null && state.length > EDITED_MAX && (
        <p>It has {bytes(state.length)}, which are more than are written by hand.</p>
      )}
    </Dialog>
  );
}
