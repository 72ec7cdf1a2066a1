// Pager: which part of many rows is shown, and the way to its neighbours.

import { count } from "../text/numbers";

export function pageOf<Row>(rows: Row[], at: number, size: number): Row[] {
  const last = Math.max(0, Math.ceil(rows.length / size) - 1);
  const page = Math.min(at, last);
  return rows.slice(page * size, (page + 1) * size);
}

interface PagerProps {
  total: number;
  size: number;
  at: number;
  go: (page: number) => void;
  noun: string;
}

export function Pager({ total, size, at, go, noun }: PagerProps) {
  const last = Math.max(0, Math.ceil(total / size) - 1);
  const page = Math.min(at, last);
  if (total === 0) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${noun}`}>
      <span aria-live="polite">
        {count(page * size + 1)} to {count(Math.min(total, (page + 1) * size))} of {count(total)} {noun}
      </span>
      <button type="button" disabled={page === 0} onClick={() => go(page - 1)}>
        Previous
      </button>
      <button type="button" disabled={page === last} onClick={() => go(page + 1)}>
        Next
      </button>
    </nav>
  );
}
