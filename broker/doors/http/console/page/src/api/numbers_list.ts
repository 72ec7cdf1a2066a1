// NumbersList: the numbers of all entities, and the place of one of them in that list, so that a view of one entity
// asks for one row however many there are.

import { call } from "./call";
import { isSubscription } from "./paths";
import type { EntityNumbers } from "./types";

const PAGE = 1000;
// So many are shown at most; the view says when there are more.
export const ENTITIES_MAX = 20_000;

interface Page {
  entities?: EntityNumbers[];
  nextPageToken: string;
}

function page(pageSize: number, pageToken: string, signal?: AbortSignal): Promise<Page> {
  return call("Management/ListEntityNumbers", { pageSize, pageToken }, signal);
}

export interface Listed extends EntityNumbers {
  kind: "queue" | "topic" | "subscription";
}

async function topicNames(signal?: AbortSignal): Promise<Set<string>> {
  const names = new Set<string>();
  let pageToken = "";
  do {
    const told: { topics?: { name: string }[]; nextPageToken: string } = await call(
      "Topics/ListTopics",
      { pageSize: PAGE, pageToken },
      signal,
    );
    for (const { name } of told.topics ?? []) names.add(name.toLowerCase());
    pageToken = told.nextPageToken;
  } while (pageToken !== "" && names.size < ENTITIES_MAX);
  return names;
}

export async function listAll(signal?: AbortSignal): Promise<{ entities: Listed[]; isWhole: boolean }> {
  const topics = await topicNames(signal);
  const entities: Listed[] = [];
  let token = "";
  do {
    const told = await page(PAGE, token, signal);
    for (const row of told.entities ?? []) {
      const kind = isSubscription(row.entityPath)
        ? "subscription"
        : topics.has(row.entityPath.toLowerCase())
          ? "topic"
          : "queue";
      entities.push({ ...row, kind });
    }
    token = told.nextPageToken;
  } while (token !== "" && entities.length < ENTITIES_MAX);
  return { entities, isWhole: token === "" };
}

const isOf = (row: EntityNumbers | undefined, path: string): boolean =>
  row?.entityPath.toLowerCase() === path.toLowerCase();

// Asks for the row of one entity: the first time it looks where that is, later it knows.
export class OneRow {
  private token: string | null = null;

  constructor(private readonly path: string) {}

  // Null: there is none.
  async ask(signal?: AbortSignal): Promise<EntityNumbers | null> {
    if (this.token !== null) {
      const [row] = (await page(1, this.token, signal)).entities ?? [];
      if (isOf(row, this.path)) return row;
    }
    return this.look(signal);
  }

  private async look(signal?: AbortSignal): Promise<EntityNumbers | null> {
    let token = "";
    do {
      const told = await page(PAGE, token, signal);
      const at = (told.entities ?? []).findIndex((row) => isOf(row, this.path));
      if (at >= 0) {
        this.token = at === 0 ? token : (await page(at, token, signal)).nextPageToken;
        return told.entities![at];
      }
      token = told.nextPageToken;
    } while (token !== "");
    return null;
  }
}
