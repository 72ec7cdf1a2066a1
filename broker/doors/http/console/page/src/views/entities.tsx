// Entities: all queues, topics and subscriptions; searched, sorted and shown a page at a time. Who may not list them
// goes to one by its name.

import { useState } from "preact/hooks";

import { useAsked } from "../api/hooks";
import { ENTITIES_MAX, type Listed, listAll } from "../api/numbers_list";
import { may, presence } from "../api/presence";
import { addressOf, go } from "../api/route";
import { Since } from "../parts/clock";
import { Failure } from "../parts/failure";
import { Choice, Field } from "../parts/field";
import { Pager, pageOf } from "../parts/pager";
import { type Column, type Order, Table, sorted } from "../parts/table";
import { bytes, count, numberOf } from "../text/numbers";
import { secondsSince } from "../text/times";
import { CreateEntity } from "./entity_form";

const PACE = 5000;
const ROWS = 50;

const oldest = (row: Listed): number => (row.oldestAvailableAt ? secondsSince(row.oldestAvailableAt) : -1);

const COLUMNS: Column<Listed>[] = [
  {
    name: "Path",
    by: (row) => row.entityPath.toLowerCase(),
    cell: (row) => <a href={addressOf("entity", row.entityPath)}>{row.entityPath}</a>,
  },
  { name: "Kind", isShort: true, by: (row) => row.kind, cell: (row) => row.kind },
  {
    name: "Available",
    isNumber: true,
    by: (row) => numberOf(row.availableMessageCount),
    cell: (row) => count(row.availableMessageCount),
  },
  {
    name: "Locked",
    isNumber: true,
    by: (row) => numberOf(row.lockedMessageCount),
    cell: (row) => count(row.lockedMessageCount),
  },
  {
    name: "Dead letters",
    isNumber: true,
    by: (row) => numberOf(row.deadLetterMessageCount),
    cell: (row) => count(row.deadLetterMessageCount),
  },
  {
    name: "Scheduled",
    isNumber: true,
    by: (row) => numberOf(row.scheduledMessageCount),
    cell: (row) => count(row.scheduledMessageCount),
  },
  {
    name: "Oldest waits",
    isNumber: true,
    by: oldest,
    cell: (row) => <Since at={row.oldestAvailableAt} />,
  },
  { name: "Size", isNumber: true, by: (row) => numberOf(row.sizeInBytes), cell: (row) => bytes(row.sizeInBytes) },
];

function GoTo() {
  const [path, setPath] = useState(presence.now().caller?.entityPath ?? "");
  return (
    <form
      class="card narrow"
      onSubmit={(event) => {
        event.preventDefault();
        if (path.trim() !== "") go("entity", path.trim());
      }}
    >
      <h1>Entities</h1>
      <p>Your key may not list them. Name the one that you want to see.</p>
      <Field
        label="Path"
        hint="orders, or sales/Subscriptions/billing"
        value={path}
        set={setPath}
        input={{ type: "search" }}
      />
      <div class="buttons">
        <button type="submit" class="main">
          Show it
        </button>
      </div>
    </form>
  );
}

function List() {
  const [search, setSearch] = useState("");
  const [kind, setKind] = useState("");
  const [order, setOrder] = useState<Order>({ column: "Path", isRising: true });
  const [at, setAt] = useState(0);
  const [isCreating, setCreating] = useState(false);
  const { data, failure, again } = useAsked(listAll, [], PACE);

  const words = search.trim().toLowerCase();
  const wanted = (data?.entities ?? []).filter(
    (row) => (kind === "" || row.kind === kind) && row.entityPath.toLowerCase().includes(words),
  );
  const rows = sorted(wanted, COLUMNS, order);
  return (
    <>
      <div class="head">
        <h1>Entities</h1>
        <button type="button" class="main" onClick={() => setCreating(true)}>
          Create…
        </button>
      </div>
      <div class="filters">
        <Field
          label="Search"
          hint="A part of the path; / comes here"
          value={search}
          input={{ type: "search" }}
          set={(value) => {
            setSearch(value);
            setAt(0);
          }}
        />
        <Choice
          label="Kind"
          value={kind}
          options={[
            ["", "all"],
            ["queue", "queues"],
            ["topic", "topics"],
            ["subscription", "subscriptions"],
          ]}
          set={(value) => {
            setKind(value);
            setAt(0);
          }}
        />
      </div>
      <Failure of={failure} />
      {data !== null && (
        <>
          <Table
            caption="Entities"
            columns={COLUMNS}
            rows={pageOf(rows, at, ROWS)}
            keyOf={(row) => row.entityPath}
            order={order}
            sort={setOrder}
            none={words === "" && kind === "" ? "There are no entities yet." : "None is called so."}
          />
          <Pager total={rows.length} size={ROWS} at={at} go={setAt} noun="entities" />
          {!data.isWhole && <p class="hint">Only the first {count(ENTITIES_MAX)} are here.</p>}
        </>
      )}
      {isCreating && (
        <CreateEntity
          close={() => {
            setCreating(false);
            again();
          }}
        />
      )}
    </>
  );
}

export function Entities() {
  return may("Manage") ? <List /> : <GoTo />;
}
