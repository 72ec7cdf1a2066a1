// SignIn: by a connection string, by a key, or by the certificate that the browser has.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { type Caller, signIn } from "../api/call";
import { useDeed } from "../api/hooks";
import { presence } from "../api/presence";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Choice, Field } from "../parts/field";
import { visible } from "../text/visible";

type Way = "connection" | "key" | "certificate";

function Form({ children }: { children?: ComponentChildren }) {
  const [way, setWay] = useState<Way>("connection");
  const [connectionString, setConnection] = useState("");
  const [keyName, setName] = useState("");
  const [key, setKey] = useState("");
  const [entityPath, setPath] = useState("");

  const given = (): object | undefined => {
    if (way === "certificate") return undefined;
    return way === "connection" ? { connectionString } : { keyName, key, entityPath };
  };
  const { run, isRunning, failure } = useDeed(async () => presence.signedIn(await signIn(given())));

  const ways: [Way, string][] = [
    ["connection", "A connection string"],
    ["key", "A key of a rule"],
  ];
  if (location.protocol === "https:") ways.push(["certificate", "The certificate of this browser"]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Choice label="What you have" value={way} set={(value) => setWay(value as Way)} options={ways} />
      {way === "connection" && (
        <Field
          label="Connection string"
          hint="Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…"
          value={connectionString}
          set={setConnection}
          input={{ type: "password", required: true }}
        />
      )}
      {way === "key" && (
        <>
          <Field label="Name of the rule" value={keyName} set={setName} input={{ required: true }} />
          <Field label="Key" value={key} set={setKey} input={{ type: "password", required: true }} />
          <Field
            label="Entity"
            hint="Of a rule of a queue or topic: its name. Else leave it empty."
            value={entityPath}
            set={setPath}
          />
        </>
      )}
      <Failure of={failure} />
      <div class="buttons">
        <button type="submit" class="main" disabled={isRunning}>
          Sign in
        </button>
        {children}
      </div>
    </form>
  );
}

export function SignIn() {
  return (
    <div class="card narrow">
      <h1>Sign in</h1>
      <p>
        What you may see and do here is what your key may. It stays in this page, and goes nowhere but to the broker.
      </p>
      <Form />
    </div>
  );
}

interface SignInAgainProps {
  // Whose session it was.
  caller: Caller;
  why: string;
  leave: () => void;
  children: ComponentChildren;
}

// Above what was there, which nobody sees meanwhile.
export function SignInAgain({ caller: { rule, client, entityPath }, why, leave, children }: SignInAgainProps) {
  const who = (rule || client) + (entityPath && ` of ${entityPath}`);
  return (
    <Dialog title="Your session is over" isAlone>
      {children}
      <p>{why}.</p>
      <p>
        What you have written is still here. Sign in again as <bdi>{visible(who)}</bdi> to go on; when somebody else
        signs in, it is dropped.
      </p>
      <Form>
        <button type="button" class="quiet" onClick={leave}>
          Drop it and sign out
        </button>
      </Form>
    </Dialog>
  );
}
