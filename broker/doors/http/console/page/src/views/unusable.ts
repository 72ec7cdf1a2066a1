// Unusable: what the numbers of all entities do not tell: which of them are fenced, and how many dead letters nobody can
// read. Asked for of those alone that may have any.

import { call } from "../api/call";
import { subscriptionPath, topicOf } from "../api/paths";
import type { Runtime } from "../api/types";
import { numberOf } from "../text/numbers";
import { type All, deadOf } from "./all_entities";

const PAGE = 1000;
// So many pages of lists are read; the rest is for the log.
const PAGES_MAX = 100;

export interface Unusable {
  // Paths.
  fenced: string[];
  unreadable: { path: string; messages: number }[];
  // Nothing was left out.
  isWhole: boolean;
}

interface List {
  queues?: { name: string }[];
  topics?: { name: string }[];
  subscriptions?: { topic: string; name: string }[];
  runtime?: Runtime[];
  nextPageToken: string;
}

const pathsOf = ({ queues, topics, subscriptions }: List): string[] =>
  subscriptions?.map(({ topic, name }) => subscriptionPath(topic, name)) ??
  (queues ?? topics ?? []).map(({ name }) => name);

// Whose messages are to be looked at; with `isAnyFenced` that may be all.
function listsOf({ entities }: All, isAnyFenced: boolean): [method: string, request: object][] {
  const rows = entities.filter((row) => isAnyFenced || numberOf(deadOf(row)) > 0);
  const topics = new Set(
    rows.filter(({ kind }) => kind === "subscription").map(({ entityPath }) => topicOf(entityPath)),
  );
  return [
    ...(isAnyFenced || rows.some(({ kind }) => kind === "queue")
      ? [["Management/ListQueues", {}] as [string, object]]
      : []),
    ...(isAnyFenced ? [["Topics/ListTopics", {}] as [string, object]] : []),
    ...[...topics].map((entityPath): [string, object] => ["Topics/ListSubscriptions", { entityPath }]),
  ];
}

export async function findUnusable(all: All, isAnyFenced: boolean, signal: AbortSignal): Promise<Unusable> {
  const found: Unusable = { fenced: [], unreadable: [], isWhole: false };
  let pages = 0;
  for (const [method, request] of listsOf(all, isAnyFenced)) {
    let pageToken = "";
    do {
      if (pages === PAGES_MAX) return found;
      const told: List = await call(method, { ...request, pageSize: PAGE, pageToken }, signal);
      pathsOf(told).forEach((path, at) => {
        const { fence, deadLetterQuarantinedMessageCount } = told.runtime?.[at] ?? {};
        const messages = numberOf(deadLetterQuarantinedMessageCount);
        if (fence) found.fenced.push(path);
        if (messages > 0) found.unreadable.push({ path, messages });
      });
      pageToken = told.nextPageToken;
      pages += 1;
    } while (pageToken !== "");
  }
  return { ...found, isWhole: all.isWhole };
}
