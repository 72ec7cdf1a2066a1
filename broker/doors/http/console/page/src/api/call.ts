// Call: one request to /api/v1, and what it says when it is refused.
//
// Without TLS the daemon gives no cookie: then the id of the session is here, in memory, and gone with the page.

import { presence } from "./presence";
import type { ClusterStatus } from "./types";

let session: string | null = null;
let answered = 0;

export function keepSession(id: string | null): void {
  session = id;
}

// In the broker's words.
export class Refusal extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly trackingId: string,
    readonly http: number,
    readonly outcome: string,
  ) {
    super(message);
  }
}

const BYTES = "application/octet-stream";
// That a browser has of one origin.
const CONNECTIONS_MAX = 6;
const GONE = new Set(["ServiceCommunicationProblem", "PartitionNotOwned"]);

async function refusalOf(answer: Response): Promise<Refusal> {
  const said = await answer.json().then(
    (body) => body?.error ?? {},
    () => ({}),
  );
  return new Refusal(
    said.message ?? `the answer is ${answer.status} ${answer.statusText}`,
    said.code ?? "GeneralError",
    said.trackingId ?? "",
    answer.status,
    said.outcome ?? "unknown",
  );
}

export const NO_ANSWER = "the broker does not answer";

// When the broker last answered anything.
export const answeredAt = (): number => answered;

export type Fields = Record<string, string>;

// Objects go as JSON, files as they are.
export async function ask(
  method: string,
  path: string,
  body?: object | Blob,
  signal?: AbortSignal,
  fields: Fields = {},
): Promise<Response> {
  const headers: Fields = { "X-Wharf-Request": "1", ...fields };
  if (session !== null) headers.Authorization = `Session ${session}`;
  if (body !== undefined) headers["Content-Type"] = body instanceof Blob ? BYTES : "application/json";
  try {
    const answer = await fetch(`/api/v1/${path}`, {
      method,
      headers,
      signal,
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
      cache: "no-store",
      redirect: "error",
    });
    answered = Date.now();
    return answer;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal(NO_ANSWER, "Unreachable", "", 0, "unknown");
  }
}

// What is under way when another comes, or somebody leaves, is not told to the next one.
function withTurn(signal: AbortSignal | undefined): AbortSignal {
  const turnEnds = presence.turnEnds();
  return signal === undefined ? turnEnds : AbortSignal.any([signal, turnEnds]);
}

// The same, for who is signed in: a refusal is thrown, and if it says that the broker or the session is gone, all know.
export async function askBroker(
  method: string,
  path: string,
  body?: object | Blob,
  signal?: AbortSignal,
  fields?: Fields,
): Promise<Response> {
  const gone = withTurn(signal);
  for (let stale = 0; ; stale += 1) {
    try {
      const answer = await ask(method, path, body, gone, fields);
      if (!answer.ok) throw await refusalOf(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof Refusal) || gone.aborted) throw error;
      if (stale === CONNECTIONS_MAX || !isElsewhere(error)) {
        note(error);
        throw error;
      }
      await whoAsks().catch(() => null);
    }
  }
}

// A connection that the browser has kept is still one to the node that led before. That node ends it when it is asked
// who asks, and the next one is brought to who leads now.
const isElsewhere = ({ code, outcome }: Refusal): boolean => code === "PartitionNotOwned" && outcome === "not-done";

function note({ http, code, message }: Refusal): void {
  if (http === 0 || GONE.has(code)) presence.lose(message);
  if (http === 401) presence.sessionEnded();
}

async function valueOf<Value>(answer: Response, signal: AbortSignal): Promise<Value> {
  try {
    return (await answer.json()) as Value;
  } catch (error) {
    if (signal.aborted) throw error;
    const refusal = new Refusal("the answer broke off", "Unreachable", "", 0, "unknown");
    note(refusal);
    throw refusal;
  }
}

// "Messaging/Send", and its request; answers its response, or throws a Refusal.
export async function call<Value>(method: string, request: object = {}, signal?: AbortSignal): Promise<Value> {
  const gone = withTurn(signal);
  return valueOf(await askBroker("POST", method, request, gone), gone);
}

export interface Caller {
  isAccessOn: boolean;
  rule: string;
  entityPath: string;
  client: string;
  rights: string[];
  // After which a session is over; told when it begins.
  idleSeconds?: number;
}

// Who asks; null: nobody is signed in.
export async function whoAsks(): Promise<Caller | null> {
  const answer = await ask("GET", "session");
  if (answer.status === 401) {
    await answer.body?.cancel();
    return null;
  }
  if (!answer.ok) throw await refusalOf(answer);
  return (await answer.json()) as Caller;
}

// What this node knows of its cluster, also while nobody leads that.
export async function askNode(): Promise<ClusterStatus> {
  const answer = await ask("POST", "Cluster/GetStatus", {});
  if (!answer.ok) throw await refusalOf(answer);
  return (await answer.json()) as ClusterStatus;
}

// Whether anything answers: the page itself, which is no use of a session.
export async function knock(signal: AbortSignal): Promise<void> {
  try {
    await fetch("/", { method: "HEAD", cache: "no-store", signal });
    answered = Date.now();
  } catch {
    presence.lose(NO_ANSWER);
  }
}

// Nothing is given by who has a certificate.
export async function signIn(given: object | undefined): Promise<Caller> {
  keepSession(null);
  const answer = await ask("POST", "session", given);
  if (!answer.ok) throw await refusalOf(answer);
  const told = await answer.json();
  if (typeof told.session === "string") keepSession(told.session);
  return told as Caller;
}

export async function signOut(): Promise<void> {
  const answer = ask("DELETE", "session");
  keepSession(null);
  await answer;
}
