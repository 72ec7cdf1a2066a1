// Trace: "Where is my message?" An id or a number gives its place, its holder, why it waits, and its story.

import { useEffect, useState } from "preact/hooks";

import { call } from "../api/call";
import { useDeed } from "../api/hooks";
import { presence } from "../api/presence";
import { addressOf, go } from "../api/route";
import { DEAD_LETTERS } from "../api/paths";
import type { MessageEvent, MessagePlace, RememberedId } from "../api/types";
import { Failure } from "../parts/failure";
import { Check, Field } from "../parts/field";
import { Moment } from "../parts/moment";
import { Table } from "../parts/table";
import { count, counted } from "../text/numbers";
import { doorWords, isNumber, otherWords, storyWords, untilWords, waitWords } from "./trace_words";

// Messages that are looked at before somebody is asked whether to go on: about a second.
const LOOKED_AT_MAX = 1_000_000;

interface Answer {
  places?: MessagePlace[];
  remembered?: RememberedId[];
  events?: MessageEvent[];
  fencedEntityPaths?: string[];
  unreadableEventPlaces: string;
  hasUntoldStories: boolean;
  lookedAtCount: string;
  entityCount: string;
  nextPageToken: string;
}

interface Found {
  places: MessagePlace[];
  remembered: RememberedId[];
  events: MessageEvent[];
  fenced: string[];
  unreadable: number;
  hasUntold: boolean;
  lookedAt: number;
  entities: number;
  next: string;
}

const NOTHING: Found = {
  places: [],
  remembered: [],
  events: [],
  fenced: [],
  unreadable: 0,
  hasUntold: false,
  lookedAt: 0,
  entities: 0,
  next: "",
};

function added(before: Found, page: Answer): Found {
  return {
    places: [...before.places, ...(page.places ?? [])],
    remembered: [...before.remembered, ...(page.remembered ?? [])],
    events: [...before.events, ...(page.events ?? [])],
    fenced: [...before.fenced, ...(page.fencedEntityPaths ?? [])],
    unreadable: before.unreadable + Number(page.unreadableEventPlaces),
    hasUntold: before.hasUntold || page.hasUntoldStories,
    lookedAt: before.lookedAt + Number(page.lookedAtCount),
    entities: before.entities + Number(page.entityCount),
    next: page.nextPageToken,
  };
}

// The same number in two entities is two messages: each keeps its story together.
function inOrder(events: MessageEvent[], isById: boolean): MessageEvent[] {
  if (!isById) return events;
  return [...events].sort((one, other) => {
    const apart = BigInt(one.order) - BigInt(other.order);
    return apart < 0n ? -1 : apart > 0n ? 1 : 0;
  });
}

interface Wanted {
  text: string;
  isId: boolean;
  entity: string;
}

export function Trace({ text = "", entity = "" }: { text?: string; entity?: string }) {
  // Who knows one entity alone may ask about that alone.
  const own = presence.now().caller?.entityPath ?? "";
  const [wanted, setWanted] = useState<Wanted>({ text, isId: false, entity: entity || own });
  const [found, setFound] = useState<Found | null>(null);
  const set = (part: Partial<Wanted>) => setWanted((all) => ({ ...all, ...part }));
  const isById = wanted.isId || !isNumber(wanted.text);

  const look = useDeed(async (before: Found) => {
    let all = before;
    const until = before.lookedAt + LOOKED_AT_MAX;
    do {
      const page = await call<Answer>("Messaging/TraceMessage", {
        entityPath: wanted.entity.trim(),
        ...(isById ? { messageId: wanted.text } : { sequenceNumber: wanted.text }),
        pageToken: all.next,
      });
      all = added(all, page);
      setFound(all);
    } while (all.next !== "" && all.lookedAt < until);
  });
  const search = () => {
    setFound(null);
    void look.run(NOTHING);
  };
  // Who was sent here with a message wants to see it.
  useEffect(() => {
    if (text !== "") search();
  }, []);

  return (
    <section aria-labelledby="trace">
      <h1 id="trace">Where is my message?</h1>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <Field
          label="Message"
          hint="Its message id; digits alone are a sequence number."
          value={wanted.text}
          set={(value) => set({ text: value })}
          input={{ type: "search", required: true }}
        />
        <Field
          label="In"
          hint="A queue, a subscription, or a topic with its subscriptions; empty: everywhere."
          value={wanted.entity}
          set={(value) => set({ entity: value })}
        />
        {isNumber(wanted.text) && (
          <Check
            label="It is a message id, though it has digits alone"
            value={wanted.isId}
            set={(value) => set({ isId: value })}
          />
        )}
        <div class="buttons">
          <button type="submit" class="main" disabled={look.isRunning || wanted.text === ""}>
            Look for it
          </button>
        </div>
      </form>
      <Failure of={look.failure} />
      <div aria-live="polite">
        {look.isRunning && <p>Looking… {found !== null && `${counted(found.lookedAt, "message")} so far.`}</p>}
        {found !== null && !look.isRunning && <Summary of={found} />}
      </div>
      {found !== null && <Places of={found.places} />}
      {found !== null && <Remembered of={found.remembered} />}
      {found !== null && !look.isRunning && (
        <Story of={inOrder(found.events, isById)} isThere={found.places.length > 0} />
      )}
      {found !== null && found.next !== "" && !look.isRunning && (
        <div class="buttons">
          <button type="button" onClick={() => look.run(found)}>
            Look further
          </button>
        </div>
      )}
    </section>
  );
}

function Summary({ of: { places, fenced, unreadable, hasUntold, lookedAt, entities, next } }: { of: Found }) {
  const where = places.length === 0 ? "It is nowhere" : `It is in ${counted(places.length, "place")}`;
  const what = entities === 1 ? "1 entity" : `${count(entities)} entities`;
  return (
    <>
      <p>
        {where}; {what} and {counted(lookedAt, "message")} looked at{next === "" ? "." : ", and there are more."}
      </p>
      {fenced.length > 0 && (
        <p class="failure" role="alert">
          Not looked into, because they are fenced: {fenced.join(", ")}
        </p>
      )}
      {hasUntold && <p>More messages have the id than stories are told: look for others by their numbers.</p>}
      {unreadable > 0 && (
        <p class="failure" role="alert">
          Event logs cannot be read at {counted(unreadable, "place")}: what happened may not all be told
        </p>
      )}
    </>
  );
}

function addressOfPlace({ entityPath: path, message: { sequenceNumber }, wait }: MessagePlace): string {
  // A topic has no other.
  if (wait === "MESSAGE_WAIT_SCHEDULED_TIME") return addressOf("entity", path, "scheduled");
  return path.endsWith(DEAD_LETTERS)
    ? addressOf("entity", path.slice(0, -DEAD_LETTERS.length), "dead-letters", sequenceNumber)
    : addressOf("entity", path, "messages", sequenceNumber);
}

function Places({ of: places }: { of: MessagePlace[] }) {
  if (places.length === 0) return null;
  return (
    <>
      <h2>Its place</h2>
      <Table
        caption="Its place"
        rows={places}
        keyOf={(place) => `${place.entityPath} ${place.message.sequenceNumber}`}
        columns={[
          {
            name: "Entity",
            cell: (place) => (
              <a class="text" href={addressOfPlace(place)}>
                {place.entityPath}
              </a>
            ),
          },
          { name: "Number", isNumber: true, cell: (place) => place.message.sequenceNumber },
          { name: "Enqueued", cell: (place) => <Moment at={place.message.enqueuedTime} /> },
          { name: "Failed deliveries", isNumber: true, cell: (place) => place.message.deliveryCount },
          { name: "Waits for", cell: (place) => <span class="text">{waitWords(place)}</span> },
          { name: "Until", cell: (place) => <Until of={place} /> },
          { name: "Holder", cell: (place) => <Holder of={place} /> },
        ]}
      />
    </>
  );
}

const isHeld = (wait: string): boolean => wait === "MESSAGE_WAIT_LOCK" || wait === "MESSAGE_WAIT_SESSION_LOCK";

function Until({ of: { wait, message } }: { of: MessagePlace }) {
  if (isHeld(wait))
    return message.lockedUntil ? <Moment at={message.lockedUntil} /> : <>as long as its session is locked</>;
  if (wait === "MESSAGE_WAIT_DELAY") return <Moment at={message.availableAt} />;
  if (wait === "MESSAGE_WAIT_SCHEDULED_TIME") return <Moment at={message.message.scheduledEnqueueTime} />;
  return <>–</>;
}

function Holder({ of: { wait, lockedBy, lockedSince } }: { of: MessagePlace }) {
  if (!isHeld(wait)) return <>–</>;
  return (
    <span class="text">
      {lockedBy ?? "not known"}
      {lockedSince && (
        <>
          , since <Moment at={lockedSince} />
        </>
      )}
    </span>
  );
}

function Remembered({ of: remembered }: { of: RememberedId[] }) {
  return (
    <>
      {remembered.map((each) => (
        <p key={each.entityPath}>
          {each.entityPath} remembers the id, as that of its message {each.sequenceNumber}, until{" "}
          <Moment at={each.forgottenAt} />.
        </p>
      ))}
    </>
  );
}

function Story({ of: events, isThere }: { of: MessageEvent[]; isThere: boolean }) {
  if (events.length === 0) {
    return (
      <p class="none">
        No event log tells of it.
        {isThere && " An entity gets one by the property “Event log size in kilobytes”, and tells what happens then."}
      </p>
    );
  }
  return (
    <>
      <h2>Its story</h2>
      <Table
        caption="Its story"
        rows={events}
        keyOf={(event) => `${event.order} ${event.entityPath} ${event.sequenceNumber}`}
        columns={[
          { name: "When", cell: (event) => <Moment at={event.time} /> },
          { name: "Where", cell: (event) => <span class="text">{event.entityPath}</span> },
          { name: "Number", isNumber: true, cell: (event) => event.sequenceNumber },
          { name: "What happened", cell: (event) => <Happened of={event} /> },
          { name: "By", cell: (event) => <span class="text">{doorWords(event)}</span> },
        ]}
      />
    </>
  );
}

function Happened({ of: event }: { of: MessageEvent }) {
  const other = otherWords(event);
  return (
    <span class="text">
      {storyWords(event)}
      {other !== "" && event.otherEntityPath && (
        <>
          {" "}
          <button
            type="button"
            class="link"
            onClick={() =>
              go("find", event.otherSequenceNumber ?? "", (event.otherEntityPath ?? "").replace(DEAD_LETTERS, ""))
            }
          >
            {other}
          </button>
        </>
      )}
      {other !== "" && !event.otherEntityPath && `, ${other}`}
      {event.until && (
        <>
          , {untilWords(event)} <Moment at={event.until} />
        </>
      )}
      {(event.deliveryCount ?? 0) > 0 && `, failed deliveries: ${event.deliveryCount}`}
      {event.copyCount !== undefined && `, copies: ${event.copyCount}`}
      {event.reason && `: ${event.reason}`}
    </span>
  );
}
