// Sessions: by single calls and on streams, their state, their list, and what is refused.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  assertError,
  assertFails,
  assertSettled,
  bodies,
  failure,
  fixture,
  status,
  statusOf,
  unknownToken,
} from './wire.mjs';

const complete = { complete: {} };
const lost = [status.ABORTED, 'SessionLockLost'];
const held = [status.FAILED_PRECONDITION, 'SessionCannotBeLocked'];
const none = [status.DEADLINE_EXCEEDED, 'ServiceTimeout'];
const invalid = [status.FAILED_PRECONDITION, 'InvalidOperation'];
const argument = [status.INVALID_ARGUMENT, 'ArgumentError'];
const range = [status.OUT_OF_RANGE, 'ArgumentOutOfRange'];
const peekLock = 'RECEIVE_MODE_PEEK_LOCK';

// A queue that requires sessions, its client, and short forms.
async function sessionFixture(t, properties = {}) {
  const { client, newQueue, newName, newStream } = fixture(t);
  const name = await newQueue({ requires_session: true, ...properties });
  const { sessions } = client;
  const send = (session, ...values) =>
    client.send(name, values.map((value) => ({ body: Buffer.from(value), session_id: session })));
  const accept = async (id, wait) => (await sessions.accept(name, id, wait)).session_lock_token;
  const receive = (token, count = 10) => client.receive(name, count, { session_lock_token: token });
  const stream = (session) => newStream(name, peekLock, session);
  return { client, sessions, name, newQueue, newName, newStream, send, accept, receive, stream };
}

const readToTheEnd = async (stream) => {
  for (;;) await stream.read();
};

// SES-4, SES-8, SES-10, SES-12
test('a named session gives its messages in order', async (t) => {
  const { client, sessions, name, send, receive } = await sessionFixture(t);
  await send('red', '1', '2');
  await send('blue', '3');

  const session = await sessions.accept(name, 'red');
  const messages = await receive(session.session_lock_token);

  assert.equal(session.session_id, 'red');
  assert.equal(session.session_lock_token.length, 16);
  assert.equal(session.lock_duration.seconds, '60');
  assert.deepEqual(bodies(messages), ['1', '2']);
  assert.deepEqual(messages[0].locked_until, session.locked_until);
  assertSettled(await client.complete(name, ...messages.map((message) => message.lock_token)), 2);
});

// SES-5, SES-6
test('the next session is waited for', async (t) => {
  const { sessions, name, send } = await sessionFixture(t);
  await assertFails(sessions.accept(name), ...none);
  const waiting = sessions.accept(name, undefined, 30);

  await send('red', '1');

  assert.equal((await waiting).session_id, 'red');
});

// SES-8, SES-16, CNT-9
test('a session is held by one until it is released', async (t) => {
  const { client, sessions, name, send, accept, receive } = await sessionFixture(t);
  await send('red', '1');
  const token = await accept('red');
  const [message] = await receive(token);
  await assertFails(sessions.accept(name, 'red'), ...held);

  await sessions.release(name, token);

  const [again] = await receive(await accept('red'));
  assert.deepEqual([again.message.body.toString(), again.delivery_count], ['1', 0]);
  await assertFails(client.complete(name, message.lock_token), ...lost);
  await assertFails(sessions.renew(name, token), ...lost);
});

// SES-9
test('a session lock is renewed', async (t) => {
  const { client, sessions, name } = await sessionFixture(t);
  const session = await sessions.accept(name, 'red');
  await client.update(name, { requires_session: true, lock_duration: { seconds: 300 } });

  const until = await sessions.renew(name, session.session_lock_token);

  assert.ok(until.seconds - session.locked_until.seconds >= 239);
});

// SST-2, SST-3
test('a state is nothing, empty or bytes', async (t) => {
  const { client, sessions, name, send, accept, receive } = await sessionFixture(t);
  await send('red', '1');
  let token = await accept('red');

  for (const state of [undefined, Buffer.alloc(0), Buffer.from([0, 255, 128]), undefined]) {
    await sessions.setState(name, token, state);
    assert.deepEqual(await sessions.state(name, token), state);
  }
  const [message] = await receive(token);
  await sessions.setState(name, token, Buffer.from('done'), [message.lock_token]);
  await sessions.release(name, token);

  token = await accept('red');
  assert.deepEqual(await sessions.state(name, token), Buffer.from('done'));
  assert.equal((await client.runtime(name)).total_message_count, '0');
});

// DEF-7
test('deferred messages belong to their session', async (t) => {
  const { client, name, send, accept, receive } = await sessionFixture(t);
  await send('red', '1');
  const [red, blue] = [await accept('red'), await accept('blue')];
  const [message] = await receive(red);
  assertSettled(await client.settle(name, [message.lock_token], { defer: {} }));
  const deferred = (token) =>
    client.receiveDeferred(name, ['1'], { session_lock_token: token });

  await assertFails(deferred(blue), status.NOT_FOUND, 'MessageNotFound');

  assert.deepEqual(bodies(await deferred(red)), ['1']);
});

// SLS-2, SLS-4, PEEK-8
test('what an owner sees of sessions', async (t) => {
  const { client, sessions, name, send, accept } = await sessionFixture(t);
  await send('red', '1', '2');
  await send('blue', '3');
  const token = await accept('green');
  await sessions.setState(name, token, Buffer.from('state'));

  const first = await sessions.list(name, { page_size: 2 });
  const second = await sessions.list(name, { page_token: first.next_page_token });
  const all = [...first.sessions, ...second.sessions];

  assert.deepEqual(all.map((session) => session.session_id), ['blue', 'green', 'red']);
  assert.deepEqual([all[2].message_count, all[2].oldest_sequence_number], ['2', '1']);
  assert.equal(all[1].state_size, '5');
  assert.ok(all[1].locked_until);
  assert.equal(all[2].locked_until, null);
  const deepest = await sessions.deepest(name, 1);
  assert.deepEqual(deepest.sessions, [{ session_id: 'red', message_count: '2' }]);
  assert.deepEqual(bodies((await client.peek(name, 0, 250, { session_id: 'red' })).messages), ['1', '2']);
  await sessions.forceRelease(name, 'green');
  await assertFails(sessions.state(name, token), ...lost);
  await assertFails(sessions.forceRelease(name, 'green'), ...lost);
});

// SES-4, SES-14
test('a stream of one session', async (t) => {
  const { send, stream } = await sessionFixture(t);
  await send('red', '1');
  const red = stream({ session_id: 'red' });
  red.grant(10);

  await red.expect('started');
  const session = await red.expect('session_accepted');
  const [message] = await red.deliveries(1);
  red.settle(1, [message.lock_token], complete);

  assert.equal(session.session_id, 'red');
  assert.equal(message.message.body.toString(), '1');
  assert.equal((await red.expect('settled')).settled, 1);
});

// CNT-9, SES-24
test('the end of a stream releases its session', async (t) => {
  const { send, accept, receive, stream } = await sessionFixture(t);
  await send('red', '1');
  const red = stream({ next_session: { max_wait: { seconds: 30 } } });
  red.grant(10);
  await red.expect('started');
  await red.expect('session_accepted');
  await red.deliveries(1);

  red.cancel();

  const [message] = await receive(await accept(undefined, 30));
  assert.equal(message.delivery_count, 0);
});

// SES-24
test('a stream of a session that is held leaves it locked', async (t) => {
  const { sessions, name, send, accept, stream } = await sessionFixture(t);
  await send('red', '1');
  const token = await accept('red');
  const red = stream({ session_lock_token: token });
  red.grant(10);
  await red.expect('started');

  red.writesDone();
  await red.rest();

  await assertFails(sessions.accept(name, 'red'), ...held);
});

test('a stream of many sessions', async (t) => {
  const { client, name, send, stream } = await sessionFixture(t);
  for (const session of ['red', 'blue', 'green']) await send(session, '1', '2');
  const many = stream({ many_sessions: { max_concurrent_sessions: 2, max_messages_per_turn: 2 } });
  many.grant(100);
  await many.expect('started');

  const heard = { red: [], blue: [], green: [] };
  for (let ended = 0; ended < 3; ) {
    const response = await many.read();
    if (response.response === 'session_accepted') {
      heard[response.session_accepted.session_id].push('accepted');
    } else if (response.response === 'session_ended') {
      assert.equal(response.session_ended.error, null);
      heard[response.session_ended.session_id].push('ended');
      ++ended;
    } else if (response.response === 'deliveries') {
      for (const { message } of response.deliveries.messages) heard[message.session_id].push(message.body.toString());
      many.settle(1, response.deliveries.messages.map((message) => message.lock_token), complete);
    }
  }

  for (const session of Object.values(heard)) assert.deepEqual(session, ['accepted', '1', '2', 'ended']);
  assert.equal((await client.runtime(name)).total_message_count, '0');
});

// SES-15
test('a lost session ends its stream', async (t) => {
  const { sessions, name, stream } = await sessionFixture(t);
  const red = stream({ session_id: 'red' });
  await red.expect('started');
  await red.expect('session_accepted');

  await sessions.forceRelease(name, 'red');

  await assertFails(red.read(), ...lost);
});

// SND-8, SES-3
test('a message needs a session id', async (t) => {
  const { client, name } = await sessionFixture(t);

  for (const message of [{ body: Buffer.from('x') }, { body: Buffer.from('x'), session_id: '' }]) {
    await assertFails(client.send(name, [message]), ...invalid);
  }
  await assertFails(client.send(name, [{ session_id: 'x'.repeat(129) }]), ...argument);

  assert.equal((await client.runtime(name)).total_message_count, '0');
});

// RCV-3
test('a session queue is not received from without a session', async (t) => {
  const { client, sessions, name, send, stream } = await sessionFixture(t);
  await send('red', '1');

  await assertFails(client.receive(name), ...invalid);
  await assertFails(readToTheEnd(stream()), ...invalid);
  await assertFails(sessions.accept(name, ''), ...argument);
  await assertFails(sessions.accept(name, 'x'.repeat(129)), ...argument);

  assert.equal((await client.runtime(name)).locked_message_count, '0');
});

// RCV-4
test('a plain queue has no sessions', async (t) => {
  const { client, sessions, newQueue, newStream } = await sessionFixture(t);
  const plain = await newQueue();
  await client.send(plain, ['x']);

  await assertFails(sessions.accept(plain), ...invalid);
  await assertFails(sessions.accept(plain, 'red'), ...invalid);
  await assertFails(sessions.list(plain), ...invalid);
  await assertFails(client.receive(plain, 1, { session_lock_token: unknownToken }), ...invalid);
  for (const session of [{ session_id: 'red' }, { next_session: {} }, { many_sessions: {} }]) {
    await assertFails(readToTheEnd(newStream(plain, peekLock, session)), ...invalid);
  }

  assert.deepEqual(bodies(await client.receive(plain)), ['x']);
});

// ERR-5, ERR-15
test('a token that is wrong or no token', async (t) => {
  const { sessions, name, newQueue, accept, receive } = await sessionFixture(t);
  const other = await newQueue({ requires_session: true });
  const { session_lock_token: foreign } = await sessions.accept(other, 'red');
  const token = await accept('red');

  for (const bad of [unknownToken, foreign]) {
    await assertFails(sessions.renew(name, bad), ...lost);
    await assertFails(sessions.setState(name, bad, Buffer.from('x')), ...lost);
    await assertFails(receive(bad), ...lost);
  }
  await assertFails(sessions.renew(name, token.subarray(1)), ...argument);
  await assertFails(sessions.setState(name, token, Buffer.from('x'), [unknownToken]), ...lost);

  assert.equal(await sessions.state(name, token), undefined);
});

// SST-1
test('a state over the limit', async (t) => {
  const { sessions, name, accept } = await sessionFixture(t, { max_message_size_in_kilobytes: 4 });
  const token = await accept('red');
  await sessions.setState(name, token, Buffer.alloc(4096));

  const refused = sessions.setState(name, token, Buffer.alloc(4097));

  await assertFails(refused, status.INVALID_ARGUMENT, 'MessageSizeExceeded');
  assert.equal((await sessions.state(name, token)).length, 4096);
});

test('numbers out of range', async (t) => {
  const { sessions, name, stream } = await sessionFixture(t);

  await assertFails(sessions.accept(name, undefined, 301), ...range);
  await assertFails(sessions.list(name, { page_size: 1001 }), ...range);
  await assertFails(sessions.deepest(name, 101), ...range);
  await assertFails(readToTheEnd(stream({ many_sessions: { max_concurrent_sessions: 1001 } })), ...range);
  const error = await failure(readToTheEnd(stream({ many_sessions: { idle_timeout: { seconds: 3601 } } })));
  assertError(statusOf(error), ...range);
});
