// Paths: what kind of an entity a path names, and the paths that belong to it.

import { call } from "./call";
import type { Description, Runtime } from "./types";

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

// A path that is no subscription's may be of either kind: the broker says which.
export async function findEntity(path: string, signal?: AbortSignal): Promise<Entity> {
  if (isSubscription(path)) return getEntity("subscription", path, signal);
  try {
    return await getEntity("queue", path, signal);
  } catch (refusal) {
    if ((refusal as { code?: string }).code !== "MessagingEntityNotFound") throw refusal;
    return getEntity("topic", path, signal);
  }
}

export function getRuntime(kind: Kind, path: string, signal?: AbortSignal): Promise<Runtime> {
  const { service, noun } = SERVICES[kind];
  return call<Runtime>(`${service}/Get${noun}RuntimeProperties`, { entityPath: path }, signal);
}

export function createEntity(kind: Kind, description: Description): Promise<Description> {
  const { service, noun, field } = SERVICES[kind];
  return call(`${service}/Create${noun}`, { [field]: description });
}

export function updateEntity(kind: Kind, path: string, description: Description): Promise<Description> {
  const { service, noun, field } = SERVICES[kind];
  return call(`${service}/Update${noun}`, { entityPath: path, [field]: description });
}

export function deleteEntity(kind: Kind, path: string): Promise<object> {
  const { service, noun } = SERVICES[kind];
  return call(`${service}/Delete${noun}`, { entityPath: path });
}
