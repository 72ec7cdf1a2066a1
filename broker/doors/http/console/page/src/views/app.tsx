// App: the frame of every view: where one can go, who is signed in, whether the broker is there.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { type Caller, signOut } from "../api/call";
import { usePresence } from "../api/hooks";
import { type Right, type State, may, presence } from "../api/presence";
import { addressOf, useRoute } from "../api/route";
import { Boundary } from "../parts/boundary";
import { Moment } from "../parts/moment";
import { Notices, notice } from "../parts/notice";
import { span } from "../text/numbers";
import { NamespaceAccess } from "./access";
import { Backups } from "./backups";
import { Cluster, Leaderless, WaitsForCluster } from "./cluster";
import { Connections } from "./connections";
import { Entities } from "./entities";
import { EntityView } from "./entity";
import { Jobs } from "./jobs";
import { Overview } from "./overview";
import { SignIn, SignInAgain } from "./sign_in";
import { Trace } from "./trace";

interface Place {
  name: string;
  title: string;
  isShown: () => boolean;
  view: () => ComponentChildren;
}

const PLACES: Place[] = [
  { name: "overview", title: "Overview", isShown: () => may("Manage"), view: () => <Overview /> },
  { name: "entities", title: "Entities", isShown: () => true, view: () => <Entities /> },
  { name: "find", title: "Find a message", isShown: () => maySomewhere("Listen"), view: () => <Trace /> },
  { name: "jobs", title: "Jobs", isShown: () => maySomewhere("Manage"), view: () => <Jobs /> },
  { name: "connections", title: "Connections", isShown: () => may("Manage"), view: () => <Connections /> },
  { name: "cluster", title: "Cluster", isShown: () => may("Manage"), view: () => <Cluster /> },
  { name: "backups", title: "Backups", isShown: () => may("Manage"), view: () => <Backups /> },
  { name: "access", title: "Access", isShown: () => may("Manage"), view: () => <NamespaceAccess /> },
];

// There it may be asked for.
function maySomewhere(right: Right): boolean {
  return may(right, presence.now().caller?.entityPath);
}

function viewOf([name, ...rest]: string[]): ComponentChildren {
  if (name === "find" && rest.length > 0 && maySomewhere("Listen"))
    return <Trace key={rest.join("/")} text={rest[0]} entity={rest[1]} />;
  if (name === "entity" && rest.length > 0)
    return <EntityView key={rest[0]} path={rest[0]} tab={rest[1] ?? "overview"} number={rest[2]} />;
  const places = PLACES.filter((place) => place.isShown());
  return (places.find((place) => place.name === name) ?? places[0]).view();
}

// Where the keyboard goes on when another view is shown.
function useFocusOnMain(route: string): { current: HTMLElement | null } {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(route);
  useEffect(() => {
    if (shown.current === route) return;
    shown.current = route;
    main.current?.focus();
    window.scrollTo(0, 0);
  }, [route]);
  return main;
}

// What a window and a reader of screens call the view.
function useTitle([name, ...rest]: string[], isOut: boolean, isIn: boolean): void {
  const place = PLACES.find((one) => one.name === name)?.title ?? PLACES[0].title;
  const title = isOut ? "Sign in" : !isIn ? "Wharf" : name === "entity" ? rest.join(", ") : place;
  useEffect(() => {
    document.title = title === "Wharf" ? title : `${title} – Wharf`;
  }, [title]);
}

// "/" goes to the search of a view, unless one is writing.
function useSearchKey(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isWriting = (event.target as HTMLElement).matches?.("input, textarea, select");
      if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey) return;
      const search = document.querySelector<HTMLInputElement>("input[type=search]");
      if (search === null) return;
      event.preventDefault();
      search.focus();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
}

// Says that the broker is back, and how long it was gone.
function useReturn({ kind, goneSince }: State): void {
  const since = useRef<number | null>(null);
  useEffect(() => {
    if (goneSince !== null) since.current = goneSince;
    else if (since.current !== null) {
      notice(`The broker is back. It was gone for ${span(Math.round((Date.now() - since.current) / 1000))}.`);
      since.current = null;
    }
  }, [kind]);
}

function Gone({ state: { kind, why, goneSince: since }, isStale }: { state: State; isStale: boolean }) {
  return (
    <p class="gone" role="alert">
      <strong>{kind === "gone" ? "The broker is gone" : "Nobody leads the cluster"}</strong>
      {since !== null && (
        <>
          , since <Moment at={new Date(since).toISOString()} />
        </>
      )}
      : {kind === "gone" ? why : "this node is there, but too few of the others"}.{" "}
      {isStale && "What is shown is as it was. "}It is looked for every second.
    </p>
  );
}

function Who({ caller }: { caller: Caller }) {
  if (!caller.isAccessOn) return <p class="who">Access is off: everybody may do everything.</p>;
  return (
    <p class="who">
      <span>
        {caller.rule || caller.client}
        {caller.entityPath && ` of ${caller.entityPath}`}: {caller.rights.join(", ")}
      </span>
      <button type="button" onClick={leave}>
        Sign out
      </button>
    </p>
  );
}

async function leave(): Promise<void> {
  await signOut().catch(() => {});
  presence.signedOut();
}

export function App() {
  const state = usePresence();
  const { kind, caller, isOut, turn } = state;
  useReturn(state);
  const route = useRoute();
  const isIn = caller !== null;
  const isGone = kind === "gone" || kind === "leaderless";
  const main = useFocusOnMain(`${isOut && !isIn}${route.slice(0, 2).join("/")}`);
  useSearchKey();
  useTitle(route, isOut, isIn);
  const current = route[0] === "entity" ? "entities" : route[0];
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        To the content
      </a>
      <header class="top">
        <a class="brand" href="#/" aria-label="Wharf, to the first view">
          Wharf
        </a>
        {isIn && (
          <nav aria-label="Views">
            {PLACES.filter((place) => place.isShown()).map(({ name, title }) => (
              <a key={name} href={addressOf(name)} aria-current={current === name ? "page" : undefined}>
                {title}
              </a>
            ))}
          </nav>
        )}
        {isIn && <Who caller={caller} />}
      </header>
      {isGone && <Gone state={state} isStale={isIn && !(kind === "leaderless" && current === "cluster")} />}
      <main id="main" ref={main} tabIndex={-1}>
        {kind === "looking" && <p>Looking for the broker…</p>}
        {kind === "waiting" && state.node !== null && <WaitsForCluster node={state.node.nodeName} />}
        {kind === "leaderless" && !isIn && !isOut && <Leaderless node={state.node} />}
        {isOut && !isIn && <SignIn />}
        {isIn && (
          <Boundary key={turn} name={route.join("/")}>
            {viewOf(route)}
          </Boundary>
        )}
      </main>
      <footer class="foot">
        <a href="/api/v1/openapi.json">The API as OpenAPI</a>
        <a href={document.body.dataset.licences}>Licences</a>
      </footer>
      <Notices />
      {isOut && isIn && (
        <SignInAgain caller={caller} why={state.ended} leave={leave}>
          {isGone && <Gone state={state} isStale={false} />}
        </SignInAgain>
      )}
    </>
  );
}
