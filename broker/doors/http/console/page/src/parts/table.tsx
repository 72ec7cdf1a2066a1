// Table: rows with a head; on a narrow screen each row is a card. Its roles are said, because a card is no table to a
// browser. Who keeps its columns has only those rows drawn again that are others. Of a long one the browser lays out
// the rows that are seen, so how wide a column is cannot depend on what is in it.

import { Component, type ComponentChildren } from "preact";

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ComponentChildren;
  // By what rows are sorted, where they can be.
  by?: (row: Row) => number | string;
  isNumber?: boolean;
  // Of a word or two, which stay on a line.
  isShort?: boolean;
  // How wide it is where the table is long, as a track of a grid; if it is not said, as wide as the others.
  track?: string;
}

export interface Order {
  column: string;
  isRising: boolean;
}

interface TableProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  order?: Order;
  sort?: (order: Order) => void;
  none?: string;
  isLong?: boolean;
}

export function sorted<Row>(rows: Row[], columns: Column<Row>[], order: Order): Row[] {
  const by = columns.find((column) => column.name === order.column)?.by;
  if (by === undefined) return rows;
  const sign = order.isRising ? 1 : -1;
  return rows
    .map((row) => ({ row, key: by(row) }))
    .sort((one, other) => (one.key < other.key ? -sign : one.key > other.key ? sign : 0))
    .map(({ row }) => row);
}

function sortOf(order: Order | undefined, name: string): "ascending" | "descending" | "none" {
  if (order?.column !== name) return "none";
  return order.isRising ? "ascending" : "descending";
}

interface LineProps<Row> {
  row: Row;
  columns: Column<Row>[];
}

// Drawn anew only when the row or the columns are others: a list may have a thousand.
class Line<Row> extends Component<LineProps<Row>> {
  shouldComponentUpdate({ row, columns }: LineProps<Row>) {
    return row !== this.props.row || columns !== this.props.columns;
  }

  render({ row, columns }: LineProps<Row>) {
    return (
      <tr role="row">
        {columns.map(({ name, cell, isNumber, isShort }) => (
          <td key={name} role="cell" class={isNumber ? "number" : isShort ? "short" : ""} data-label={name}>
            {cell(row)}
          </td>
        ))}
      </tr>
    );
  }
}

const tracksOf = <Row,>(columns: Column<Row>[]): string =>
  columns.map(({ track = "minmax(0, 1fr)" }) => track).join(" ");

export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf, order, sort, none = "There are none.", isLong = false } = props;
  if (rows.length === 0) return <p class="none">{none}</p>;
  return (
    <div class={isLong ? "table-frame long" : "table-frame"}>
      <table role="table" aria-label={caption} style={isLong ? { "--tracks": tracksOf(columns) } : undefined}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, by, isNumber }) => (
              <th
                key={name}
                role="columnheader"
                scope="col"
                class={isNumber ? "number" : ""}
                aria-sort={by && sort ? sortOf(order, name) : undefined}
              >
                {by && sort ? (
                  <button
                    type="button"
                    class="sort"
                    onClick={() =>
                      sort({ column: name, isRising: order?.column === name ? !order.isRising : !isNumber })
                    }
                  >
                    {name}
                    {order?.column === name && <span aria-hidden="true">{order.isRising ? " ▲" : " ▼"}</span>}
                  </button>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <Line key={keyOf(row)} row={row} columns={columns} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
