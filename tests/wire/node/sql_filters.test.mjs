// SQL filters, in a browse and in the selection of a job.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertFails, call, fixture, status } from './wire.mjs';

const numbered = (n) => ({ application_properties: { n: { int32_value: n } } });
const shown = async (client, name, sql, options = {}) =>
  (await client.peek(name, 0, 250, { sql_filter: sql, ...options })).messages.map((m) => Number(m.sequence_number));

async function ended(client, job) {
  while (job.state === 'STATE_RUNNING') job = await call(client.management, 'GetJob', { id: job.id });
  return job;
}

// BRW-1, SQL-23
test('a browse shows what its filter takes', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, [1, 2, 3, 4].map(numbered));
  const [first] = await client.receive(name, 1);
  await client.settle(name, [first.lock_token], { defer: {} });

  assert.deepEqual(await shown(client, name, 'n > 2'), [3, 4]);
  assert.deepEqual(await shown(client, name, '6 / (n - 2) >= 3'), [3, 4]); // Division by zero is no match.
  assert.deepEqual(await shown(client, name, 'sys.State = 1 OR n = 4'), [1, 4]);
  assert.deepEqual(await shown(client, name, 'n < 3', { filter: 'PEEK_FILTER_ACTIVE' }), [2]);
  assert.deepEqual(await shown(client, name, ''), [1, 2, 3, 4]);
});

// PRG-2, JOB-1
test('a job deletes what its filter takes', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  await client.send(name, [1, 2, 3, 4].map(numbered));
  const request = { entity_path: name, selection: { sql_filter: 'n % 2 = 0' } };

  const job = await ended(client, await call(client.management, 'StartDeleteMessages', request));

  assert.deepEqual([job.state, Number(job.done_count), job.selection.sql_filter], ['STATE_COMPLETED', 2, 'n % 2 = 0']);
  assert.deepEqual(await shown(client, name, ''), [1, 3]);
});

// RUL-11, SQL-24
test('a text that is no filter is refused, and its place told', async (t) => {
  const { client, newQueue } = fixture(t);
  const name = await newQueue();
  const peek = (sql) => client.peek(name, 0, 250, { sql_filter: sql });
  const redrive = (sql) =>
    call(client.management, 'StartRedrive', { entity_path: `${name}/$DeadLetterQueue`, selection: { sql_filter: sql } });

  for (const start of [peek, redrive]) {
    for (const text of ['n == 1', 'n', 'x'.repeat(1025)]) {
      await assertFails(start(text), status.INVALID_ARGUMENT, 'FilterException');
    }
    await assert.rejects(start('n == 1'), /column 4/);
  }
});
