// Paths: what kind of an entity a path names, and the paths that belong to it.

import { Refusal, call } from "./call";
import type { Description, Rule, Runtime } from "./types";

export type Kind = "queue" | "topic" | "subscription";

const SUBSCRIPTIONS = "/Subscriptions/";
export const DEAD_LETTERS = "/$DeadLetterQueue";

export function isSubscription(path: string): boolean {
  return path.toLowerCase().includes(SUBSCRIPTIONS.toLowerCase());
}

export function topicOf(path: string): string {
  return path.slice(0, path.toLowerCase().indexOf(SUBSCRIPTIONS.toLowerCase()));
}

export function subscriptionPath(topic: string, name: string): string {
  return `${topic}${SUBSCRIPTIONS}${name}`;
}

const SERVICES = {
  queue: { service: "Management", noun: "Queue", field: "queue" },
  topic: { service: "Topics", noun: "Topic", field: "topic" },
  subscription: { service: "Topics", noun: "Subscription", field: "subscription" },
};

export interface Entity {
  kind: Kind;
  path: string;
  description: Description;
}

export async function getEntity(kind: Kind, path: string, signal?: AbortSignal): Promise<Entity> {
  const { service, noun } = SERVICES[kind];
  const description = await call<Description>(`${service}/Get${noun}`, { entityPath: path }, signal);
  return { kind, path, description };
}

const isNotFound = (refusal: unknown): boolean =>
  refusal instanceof Refusal && refusal.code === "MessagingEntityNotFound";

// A path that is no subscription's may be of either kind: the broker says which.
export async function findEntity(path: string, signal?: AbortSignal): Promise<Entity> {
  if (isSubscription(path)) return getEntity("subscription", path, signal);
  try {
    return await getEntity("queue", path, signal);
  } catch (refusal) {
    if (!isNotFound(refusal)) throw refusal;
    try {
      return await getEntity("topic", path, signal);
    } catch (other) {
      if (!(other instanceof Refusal) || !isNotFound(other)) throw other;
      // The broker speaks of a topic alone, which was asked for last.
      throw new Refusal(
        `there is no queue and no topic named '${path}'`,
        other.code,
        other.trackingId,
        other.http,
        other.outcome,
      );
    }
  }
}

// What kind of an entity it is, as far as who may only listen to it can find out.
export interface Known {
  kind: Kind;
  requiresSession: boolean;
}

const NO_NUMBER = "9223372036854775807";

// False: it is refused as something that such an entity does not have.
async function isTaken(code: string, method: string, request: object, signal?: AbortSignal): Promise<boolean> {
  try {
    await call(method, request, signal);
    return true;
  } catch (refusal) {
    if ((refusal as { code?: string }).code !== code) throw refusal;
    return false;
  }
}

// Only what requires sessions lists them, and only a topic has no dead letters.
export async function knowEntity(path: string, signal?: AbortSignal): Promise<Known> {
  const sessions = { entityPath: path, pageSize: 1 };
  const requiresSession = await isTaken("InvalidOperation", "Sessions/ListSessions", sessions, signal);
  if (isSubscription(path)) return { kind: "subscription", requiresSession };
  const dead = { entityPath: path + DEAD_LETTERS, maxMessages: 1, fromSequenceNumber: NO_NUMBER };
  const isQueue = requiresSession || (await isTaken("MessagingEntityNotFound", "Messaging/Peek", dead, signal));
  return { kind: isQueue ? "queue" : "topic", requiresSession };
}

export function getRuntime(kind: Kind, path: string, signal?: AbortSignal): Promise<Runtime> {
  const { service, noun } = SERVICES[kind];
  return call<Runtime>(`${service}/Get${noun}RuntimeProperties`, { entityPath: path }, signal);
}

// `defaultRule`: of a subscription, the one that it begins with.
export function createEntity(kind: Kind, description: Description, defaultRule?: Rule): Promise<Description> {
  const { service, noun, field } = SERVICES[kind];
  return call(`${service}/Create${noun}`, { [field]: description, ...(defaultRule && { defaultRule }) });
}

export function updateEntity(kind: Kind, path: string, description: Description): Promise<Description> {
  const { service, noun, field } = SERVICES[kind];
  return call(`${service}/Update${noun}`, { entityPath: path, [field]: description });
}

// If it still is what was looked at.
export function deleteEntity({ kind, path, description: { etag } }: Entity): Promise<object> {
  const { service, noun } = SERVICES[kind];
  return call(`${service}/Delete${noun}`, { entityPath: path, etag });
}
