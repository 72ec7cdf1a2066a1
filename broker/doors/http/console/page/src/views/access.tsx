// Access: who may do what: the rules of the namespace, or of one queue or topic, and their keys.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked, useDeed } from "../api/hooks";
import { presence } from "../api/presence";
import { Confirm } from "../parts/confirm";
import { Copied } from "../parts/copied";
import { Dialog } from "../parts/dialog";
import { Facts } from "../parts/facts";
import { Failure } from "../parts/failure";
import { Check, Field } from "../parts/field";
import { Moment } from "../parts/moment";
import { notice } from "../parts/notice";
import { Table } from "../parts/table";
import { enumWords } from "../text/words";

interface AccessRule {
  entityPath: string;
  name: string;
  rights: string[];
  createdAt?: string;
  primaryKey?: string;
  secondaryKey?: string;
  etag: string;
}

const OWN_KEY = "32 to 256 characters; empty: the broker draws one";

// As clients of Service Bus take it, and this page to sign in.
function connectionStringOf({ entityPath, name }: AccessRule, key: string | undefined): string {
  const of = entityPath === "" ? "" : `;EntityPath=${entityPath}`;
  return `Endpoint=sb://${location.hostname}/;SharedAccessKeyName=${name};SharedAccessKey=${key}${of}`;
}

const RIGHTS: [right: string, meaning: string][] = [
  ["ACCESS_RIGHT_SEND", "Send, schedule, and change or cancel what is scheduled"],
  ["ACCESS_RIGHT_LISTEN", "Receive, settle, peek, sessions; look at rules"],
  ["ACCESS_RIGHT_MANAGE", "Everything, sending and listening included"],
];
const SLOTS: [slot: string, name: string, other: string][] = [
  ["ACCESS_KEY_SLOT_PRIMARY", "primary", "secondary"],
  ["ACCESS_KEY_SLOT_SECONDARY", "secondary", "primary"],
];

const rightsWords = (rule: AccessRule): string =>
  rule.rights.map((right) => enumWords(right, "ACCESS_RIGHT_")).join(", ");

function AddRule({ path, added, close }: { path: string; added: (rule: AccessRule) => void; close: () => void }) {
  const [name, setName] = useState("");
  const [rights, setRights] = useState<string[]>([]);
  const [primaryKey, setPrimary] = useState("");
  const [secondaryKey, setSecondary] = useState("");
  const set = (right: string, isSet: boolean) =>
    setRights((before) => (isSet ? [...before, right] : before.filter((one) => one !== right)));
  const { run, isRunning, failure } = useDeed(async () => {
    const rule = await call<AccessRule>("Management/CreateAccessRule", {
      rule: { entityPath: path, name, rights, primaryKey, secondaryKey },
      showKeys: true,
    });
    notice(`Rule ${name} is created.`);
    added(rule);
  });
  return (
    <Dialog title="Create a rule" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field label="Name" value={name} set={setName} input={{ required: true }} />
        <fieldset>
          <legend>Rights</legend>
          {RIGHTS.map(([right, meaning]) => (
            <Check
              key={right}
              label={enumWords(right, "ACCESS_RIGHT_")}
              hint={meaning}
              value={rights.includes(right)}
              set={(isSet) => set(right, isSet)}
            />
          ))}
        </fieldset>
        <Field label="Primary key" hint={OWN_KEY} value={primaryKey} set={setPrimary} />
        <Field label="Secondary key" hint={OWN_KEY} value={secondaryKey} set={setSecondary} />
        <Failure of={failure} />
        <div class="buttons">
          <button type="submit" class="main" disabled={isRunning}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Keys({ rule, close }: { rule: AccessRule; close: () => void }) {
  const { entityPath, name } = rule;
  const [rotated, setRotated] = useState<(typeof SLOTS)[number] | null>(null);
  const [key, setKey] = useState("");
  const { data, failure, again } = useAsked(
    (signal) => call<AccessRule>("Management/GetAccessRule", { entityPath, name, showKeys: true }, signal),
    [entityPath, name],
  );
  return (
    <Dialog title={`Keys of ${name}`} close={close}>
      <p>Who knows one of them may: {rightsWords(rule)}.</p>
      <Failure of={failure} />
      {data !== null && (
        <Facts
          of={[
            ["Primary key", <Copied name="the primary key" text={data.primaryKey} />],
            ["Secondary key", <Copied name="the secondary key" text={data.secondaryKey} />],
            [
              "Connection string",
              <Copied name="the connection string" text={connectionStringOf(data, data.primaryKey)} />,
            ],
          ]}
        />
      )}
      <p class="hint">
        The connection string has the primary key. Where the broker listens at another port than that of the protocol,
        write it behind the host.
      </p>
      <div class="buttons">
        {SLOTS.map((slot) => (
          <button key={slot[0]} type="button" class="danger" onClick={() => setRotated(slot)}>
            Replace the {slot[1]} key…
          </button>
        ))}
      </div>
      {rotated !== null && (
        <Confirm
          title={`Replace the ${rotated[1]} key of ${name}?`}
          verb="Replace 1 key"
          close={() => {
            setRotated(null);
            setKey("");
          }}
          deed={async () => {
            await call("Management/RotateAccessKey", { entityPath, name, slot: rotated[0], key });
            notice(`The ${rotated[1]} key of ${name} is another one now.`);
            again();
          }}
        >
          <p>
            1 key is replaced. What it signed is refused from then on, and who is connected by it ends within a second.
            What the {rotated[2]} key signed goes on.
          </p>
          <Field label="New key" hint={OWN_KEY} value={key} set={setKey} />
        </Confirm>
      )}
    </Dialog>
  );
}

// `path`: empty of the namespace.
export function Access({ path }: { path: string }) {
  const [open, setOpen] = useState<"" | "add" | "keys" | "remove">("");
  const [rule, setRule] = useState<AccessRule | null>(null);
  const { data, failure, again } = useAsked(
    (signal) => call<{ rules?: AccessRule[] }>("Management/ListAccessRules", { entityPath: path }, signal),
    [path],
  );
  const show = (what: typeof open, of: AccessRule | null) => {
    setRule(of);
    setOpen(what);
  };
  const close = () => {
    setOpen("");
    again();
  };
  return (
    <section aria-label="Access">
      <div class="head">
        <h2>Rules of {path === "" ? "the namespace" : path}</h2>
        <button type="button" class="main" onClick={() => show("add", null)}>
          Create a rule…
        </button>
      </div>
      {presence.now().caller?.isAccessOn === false && (
        <p class="hint">
          Access is off, and everybody may do everything. If there is a rule when the broker starts again, access is on:
          from then on nobody gets in without a key, here and elsewhere.
        </p>
      )}
      <Failure of={failure} />
      {data !== null && (
        <Table
          caption="Rules of access"
          rows={data.rules ?? []}
          keyOf={(one) => one.name}
          columns={[
            { name: "Name", cell: (one) => <span class="text">{one.name}</span> },
            { name: "May", cell: rightsWords },
            { name: "Created", cell: (one) => <Moment at={one.createdAt} /> },
            {
              name: "Deeds",
              cell: (one) => (
                <span class="buttons">
                  <button type="button" onClick={() => show("keys", one)} aria-label={`Keys of ${one.name}`}>
                    Keys…
                  </button>
                  <button
                    type="button"
                    class="danger"
                    onClick={() => show("remove", one)}
                    aria-label={`Remove rule ${one.name}`}
                  >
                    Remove…
                  </button>
                </span>
              ),
            },
          ]}
        />
      )}
      {open === "add" && <AddRule path={path} close={close} added={(made) => show("keys", made)} />}
      {open === "keys" && rule !== null && <Keys rule={rule} close={close} />}
      {open === "remove" && rule !== null && (
        <Confirm
          title={`Remove rule ${rule.name}?`}
          verb="Remove 1 rule"
          close={close}
          deed={async () => {
            const { entityPath, name, etag } = rule;
            await call("Management/RemoveAccessRule", { entityPath, name, etag });
            notice(`Rule ${rule.name} is removed.`);
          }}
        >
          <p>1 rule and its 2 keys go. Whatever rests on it ends within a second, this page too if it is its own.</p>
        </Confirm>
      )}
    </section>
  );
}

export function NamespaceAccess() {
  return (
    <>
      <h1>Access</h1>
      <Access path="" />
    </>
  );
}
