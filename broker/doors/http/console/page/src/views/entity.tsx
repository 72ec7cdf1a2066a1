// EntityView: one queue, topic or subscription, by tabs; each shows what its reader may do.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked } from "../api/hooks";
import {
  type Entity,
  type Kind,
  type Known,
  deleteEntity,
  findEntity,
  getRuntime,
  isSubscription,
  knowEntity,
  topicOf,
} from "../api/paths";
import { type Right, may } from "../api/presence";
import { addressOf, go } from "../api/route";
import { Confirm } from "../parts/confirm";
import { Failure } from "../parts/failure";
import { Check } from "../parts/field";
import { notice } from "../parts/notice";
import { counted, numberOf } from "../text/numbers";
import { Access } from "./access";
import { Browse } from "./browse";
import { CheckEntity } from "./check_entity";
import { DeadLetters } from "./dead_letters";
import { EntityOverview } from "./entity_overview";
import { UpdateEntity } from "./entity_form";
import { Locks } from "./locks";
import { Receive } from "./receive";
import { Rules } from "./rules";
import { Scheduled } from "./scheduled";
import { Send } from "./send";
import { Sessions } from "./sessions";
import { Subscriptions } from "./subscriptions";

export interface Shown {
  path: string;
  // Null: one may not look at its properties.
  entity: Entity | null;
  // Null: one may only send to it.
  known: Known | null;
  again: () => void;
  // Of the message that is to be shown first.
  number?: string;
}

interface Tab {
  name: string;
  title: string;
  right: Right;
  isOf: (kind: Kind | null, requiresSession: boolean) => boolean;
  view: (shown: Shown) => ComponentChildren;
}

const holds = (kind: Kind | null): boolean => kind !== "topic";

const TABS: Tab[] = [
  {
    name: "overview",
    title: "Overview",
    right: "Manage",
    isOf: () => true,
    view: (shown) => <EntityOverview {...shown} />,
  },
  {
    name: "subscriptions",
    title: "Subscriptions",
    right: "Manage",
    isOf: (kind) => kind === "topic",
    view: ({ path }) => <Subscriptions topic={path} />,
  },
  {
    name: "messages",
    title: "Messages",
    right: "Listen",
    isOf: holds,
    view: ({ path, number }) => <Browse key={number} path={path} number={number} />,
  },
  {
    name: "dead-letters",
    title: "Dead letters",
    right: "Listen",
    isOf: holds,
    view: ({ path, number }) => <DeadLetters key={number} path={path} number={number} />,
  },
  {
    name: "sessions",
    title: "Sessions",
    right: "Listen",
    isOf: (kind, requiresSession) => holds(kind) && requiresSession,
    view: ({ path }) => <Sessions path={path} />,
  },
  {
    name: "scheduled",
    title: "Scheduled",
    right: "Listen",
    isOf: (kind) => kind !== "subscription",
    view: ({ path }) => <Scheduled path={path} />,
  },
  {
    name: "rules",
    title: "Rules",
    right: "Listen",
    isOf: (kind) => kind === "subscription",
    view: ({ path }) => <Rules path={path} />,
  },
  { name: "locks", title: "Locks", right: "Manage", isOf: holds, view: ({ path }) => <Locks path={path} /> },
  {
    name: "access",
    title: "Access",
    right: "Manage",
    isOf: (kind) => kind !== "subscription",
    view: ({ path }) => <Access path={path} />,
  },
  {
    name: "send",
    title: "Send",
    right: "Send",
    isOf: (kind) => kind !== "subscription",
    view: ({ path, known }) => <Send path={path} requiresSession={known?.requiresSession === true} />,
  },
  {
    name: "receive",
    title: "Receive",
    right: "Listen",
    isOf: holds,
    view: ({ path, known }) => <Receive path={path} requiresSession={known?.requiresSession === true} />,
  },
];

function DeleteEntity({ entity, close }: { entity: Entity; close: () => void }) {
  const { kind, path } = entity;
  const { data, failure } = useAsked((signal) => getRuntime(kind, path, signal), [path]);
  const deed = async () => {
    await deleteEntity(entity);
    notice(`The ${kind} ${path} is deleted.`);
    go("entities");
  };
  return (
    <Confirm title={`Delete ${path}?`} verb={`Delete the ${kind}`} deed={deed} close={close} isReady={data !== null}>
      <Failure of={failure} />
      {data !== null && kind === "topic" && (
        <p>
          This deletes the topic with its {counted(data.subscriptionCount, "subscription")}, all that waits in them,
          their rules, and {counted(data.scheduledMessageCount, "scheduled message")}.
        </p>
      )}
      {data !== null && kind !== "topic" && (
        <p>
          This deletes the {kind} with {counted(data.totalMessageCount, "message")}; among them{" "}
          {counted(data.deadLetterMessageCount, "dead letter")}.
        </p>
      )}
      <p>It cannot be taken back.</p>
    </Confirm>
  );
}

function Purge({ entity, close }: { entity: Entity; close: () => void }) {
  const { kind, path } = entity;
  const [includeScheduled, setScheduled] = useState(false);
  const { data, failure } = useAsked((signal) => getRuntime(kind, path, signal), [path]);
  const deed = async () => {
    const { purgedCount } = await call<{ purgedCount: string }>("Management/Purge", {
      entityPath: path,
      includeScheduled,
    });
    notice(`${counted(purgedCount, "message")} of ${path} purged.`);
  };
  const count =
    numberOf(data?.activeMessageCount) +
    numberOf(data?.transferMessageCount) +
    (includeScheduled ? numberOf(data?.scheduledMessageCount) : 0);
  return (
    <Confirm
      title={`Purge ${path}?`}
      verb={`Purge ${counted(count, "message")}`}
      deed={deed}
      close={close}
      isReady={data !== null}
    >
      <Failure of={failure} />
      {data !== null && (
        <p>
          This drops {counted(count, "message")}: also the {numberOf(data.lockedMessageCount)} that are locked, whose
          receivers then cannot settle them, and the {numberOf(data.deferredMessageCount)} that are deferred. Dead
          letters stay.
        </p>
      )}
      {kind === "queue" && (
        <Check
          label={`Scheduled messages, too: ${numberOf(data?.scheduledMessageCount)}`}
          value={includeScheduled}
          set={setScheduled}
        />
      )}
      <p>It cannot be taken back.</p>
    </Confirm>
  );
}

function Deeds({ entity, again }: { entity: Entity; again: () => void }) {
  const [open, setOpen] = useState<"" | "change" | "check" | "purge" | "delete">("");
  const close = () => {
    setOpen("");
    again();
  };
  return (
    <div class="deeds">
      <button type="button" onClick={() => setOpen("change")}>
        Change…
      </button>
      <button type="button" onClick={() => setOpen("check")}>
        Check…
      </button>
      {entity.kind !== "topic" && (
        <button type="button" class="danger" onClick={() => setOpen("purge")}>
          Purge…
        </button>
      )}
      <button type="button" class="danger" onClick={() => setOpen("delete")}>
        Delete…
      </button>
      {open === "change" && (
        <UpdateEntity kind={entity.kind} path={entity.path} before={entity.description} close={close} />
      )}
      {open === "check" && <CheckEntity path={entity.path} close={close} />}
      {open === "purge" && <Purge entity={entity} close={close} />}
      {open === "delete" && <DeleteEntity entity={entity} close={close} />}
    </div>
  );
}

// Who may not manage it still sees the tabs for what they may.
async function lookAt(path: string, signal: AbortSignal): Promise<{ entity: Entity | null; known: Known | null }> {
  if (may("Manage", path)) {
    const entity = await findEntity(path, signal);
    return { entity, known: { kind: entity.kind, requiresSession: entity.description.requiresSession === true } };
  }
  return { entity: null, known: may("Listen", path) ? await knowEntity(path, signal) : null };
}

export function EntityView({ path, tab, number }: { path: string; tab: string; number?: string }) {
  const { data, failure, again } = useAsked((signal) => lookAt(path, signal), [path, may("Manage", path)]);
  if (failure !== null && data === null) {
    return (
      <>
        <h1 class="path">{path}</h1>
        <Failure of={failure} />
        <p>
          <a href={addressOf("entities")}>To all entities</a>
        </p>
      </>
    );
  }
  if (data === null) return <p>Asking…</p>;
  const { entity, known } = data;
  const kind: Kind | null = known?.kind ?? (isSubscription(path) ? "subscription" : null);
  const tabs = TABS.filter((one) => may(one.right, path) && one.isOf(kind, known?.requiresSession === true));
  const shown = tabs.find((one) => one.name === tab) ?? tabs[0];
  return (
    <>
      <p class="trail">
        <a href={addressOf("entities")}>Entities</a>
        {isSubscription(path) && (
          <>
            {" › "}
            <a href={addressOf("entity", topicOf(path))}>{topicOf(path)}</a>
          </>
        )}
      </p>
      <div class="head">
        <h1 class="path">{path}</h1>
        {kind !== null && <span class="badge">{kind}</span>}
        {entity !== null && <Deeds entity={entity} again={again} />}
      </div>
      <nav class="tabs" aria-label={`Views of ${path}`}>
        {tabs.map(({ name, title }) => (
          <a key={name} href={addressOf("entity", path, name)} aria-current={shown?.name === name ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {kind === "topic" && entity === null && (
        <p class="hint">
          What is sent to a topic waits in its subscriptions. Name one under Entities, as {path}/Subscriptions/NAME.
        </p>
      )}
      {shown === undefined ? (
        <p class="none">Your key may do nothing here.</p>
      ) : (
        shown.view({ path, entity, known, again, number })
      )}
    </>
  );
}
