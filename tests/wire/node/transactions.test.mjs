// Transactions: in one call and step by step, and what is refused.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertFails, assertSettled, bodies, fixture, status, unknownToken } from './wire.mjs';

const complete = { complete: {} };
const settle = (path, token) => ({ settle: { entity_path: path, settlement: { lock_tokens: [token], ...complete } } });
const send = (path, ...texts) => ({
  send: { entity_path: path, messages: texts.map((text) => ({ body: Buffer.from(text) })) },
});
const count = async (client, path) => Number((await client.runtime(path)).active_message_count);

async function orderFixture(t) {
  const { client, newQueue } = fixture(t);
  const [orders, bills] = [await newQueue(), await newQueue()];
  await client.send(orders, ['order']);
  const [order] = await client.receive(orders);
  return { client, orders, bills, token: order.lock_token };
}

// 19; TXN-11, TXN-12, CNT-15
test('complete and send are both done or neither', async (t) => {
  const { client, orders, bills, token } = await orderFixture(t);
  const name = await client.transactions.begin();
  await client.send(bills, ['bill'], { transaction_id: name });
  await client.settle(orders, [token], complete, { transaction_id: name });

  await client.transactions.rollback(name);

  assert.equal(await count(client, orders), 1);
  assert.equal(await count(client, bills), 0);

  const done = await client.transactions.run([settle(orders, token), send(bills, 'bill')]);

  assert.equal(done.state, 'TRANSACTION_STATE_COMMITTED');
  assert.equal(done.results[1].sent[0].sequence_number, '1');
  assert.equal(await count(client, orders), 0);
  assert.deepEqual(bodies(await client.receive(bills)), ['bill']);
});

// 20; TXN-9, QUO-10
test('101 sends are too many', async (t) => {
  const { client, bills } = await orderFixture(t);

  const run = client.transactions.run(Array(101).fill(send(bills, 'x')));

  await assertFails(run, status.RESOURCE_EXHAUSTED, 'TransactionSizeExceeded');
  assert.equal(await count(client, bills), 0);
});

// TXN-21, TXX-1
test('one that fails leaves nothing behind, and the outcome is told', async (t) => {
  const { client, orders, bills, token } = await orderFixture(t);
  const name = await client.transactions.begin();
  await client.send(bills, ['bill'], { transaction_id: name });
  await assertFails(
    client.settle(orders, [unknownToken], complete, { transaction_id: name }),
    status.ABORTED,
    'MessageLockLost',
  );
  await assertFails(client.transactions.commit(name), status.ABORTED, 'TransactionAborted');

  assert.equal(await count(client, bills), 0);
  assert.equal((await client.transactions.get(name)).state, 'TRANSACTION_STATE_ROLLED_BACK');
  await assertFails(client.transactions.get('never'), status.FAILED_PRECONDITION, 'TransactionUnknown');
  assertSettled(await client.complete(orders, token));
});

// TXX-1
test('a retry with the same id does nothing again', async (t) => {
  const { client, bills } = await orderFixture(t);
  const name = `${bills}-once`;

  const done = await client.transactions.run([send(bills, 'bill')], name);

  assert.deepEqual(await client.transactions.run([send(bills, 'bill')], name), done);
  assert.equal(await count(client, bills), 1);
});
