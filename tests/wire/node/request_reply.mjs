// Requests and their replies over Wharf, in three shapes. Needs the packages of package.json.
//
//   simple        one asks and waits for the reply
//   multiplexing  many streams of messages in one queue, each with its own reader
//   multiplexed   many ask at the same time and share one queue of replies; each sees its own only
//
// The queue of replies requires sessions: the id of a session is the address of one who waits.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const proto = new URL('../../../proto', import.meta.url).pathname;
const definition = loadSync(['wharf/v1/messaging.proto', 'wharf/v1/sessions.proto', 'wharf/v1/management.proto'], {
  keepCase: true,
  includeDirs: [proto],
});
const { Messaging, Sessions, Management } = grpc.loadPackageDefinition(definition).wharf.v1;
const connect = (Service) =>
  new Service(process.env.WHARF_ADDRESS ?? '127.0.0.1:5680', grpc.credentials.createInsecure());
const [messaging, sessions, management] = [Messaging, Sessions, Management].map(connect);
const call = (service, method, request) => promisify(service[method].bind(service))(request);

const send = (queue, body, properties) =>
  call(messaging, 'Send', { entity_path: queue, messages: [{ body: Buffer.from(body), ...properties }] });

// The next message, completed; in the session that this token holds.
async function receive(queue, session) {
  const request = { entity_path: queue, max_wait: { seconds: 30 }, session_lock_token: session };
  const { messages: [received] } = await call(messaging, 'Receive', request);
  const settlement = { lock_tokens: [received.lock_token], complete: {} };
  await call(messaging, 'Settle', { entity_path: queue, settlement });
  return received.message;
}

// Locks the session of this id, also if it has no messages yet; or the next one that has.
const accept = (queue, sessionId) =>
  call(sessions, 'AcceptSession', sessionId ? { entity_path: queue, session_id: sessionId } : { entity_path: queue });

const release = (queue, session) =>
  call(sessions, 'ReleaseSession', { entity_path: queue, session_lock_token: session.session_lock_token });

// Answers so many requests, each where it asks for its reply.
async function serve(count) {
  for (let i = 0; i < count; ++i) {
    const request = await receive('requests');
    const reply = request.body.toString().toUpperCase();
    await send(request.reply_to, reply, {
      session_id: request.reply_to_session_id,
      correlation_id: request.message_id,
    });
  }
}

// Sends a request and waits for its reply in the session.
async function ask(question, session) {
  const id = randomUUID();
  await send('requests', question, {
    message_id: id,
    reply_to: 'replies',
    reply_to_session_id: session.session_id,
  });
  const reply = await receive('replies', session.session_lock_token);
  assert.equal(reply.correlation_id, id);
  return reply.body.toString();
}

async function simple() {
  const server = serve(1);
  const session = await accept('replies', 'till-1'); // Before the request is sent: nobody else can get the reply.
  console.log(`simple: ${await ask('one coffee', session)}`);
  await release('replies', session);
  await server;
}

async function multiplexing() {
  for (const line of ['one coffee', 'two teas', 'three cakes']) {
    for (const till of ['till-1', 'till-2']) await send('replies', `${till} ${line}`, { session_id: till });
  }
  const readers = [await accept('replies'), await accept('replies')]; // The next two; both are held at the same time.
  for (let i = 0; i < 3; ++i) {
    for (const reader of readers) {
      console.log(`multiplexing: ${(await receive('replies', reader.session_lock_token)).body}`);
    }
  }
  for (const reader of readers) await release('replies', reader);
}

async function multiplexed() {
  const beATill = async (till) => {
    const session = await accept('replies', till);
    const answers = [await ask(`${till} coffee`, session), await ask(`${till} tea`, session)];
    await release('replies', session);
    return answers;
  };
  const server = serve(6);
  for (const answers of await Promise.all(['till-1', 'till-2', 'till-3'].map(beATill))) {
    console.log(`multiplexed: ${answers.join(', ')}`);
  }
  await server;
}

await call(management, 'CreateQueue', { queue: { name: 'requests' } });
await call(management, 'CreateQueue', { queue: { name: 'replies', requires_session: true } });
try {
  await simple();
  await multiplexing();
  await multiplexed();
} finally {
  for (const name of ['requests', 'replies']) await call(management, 'DeleteQueue', { entity_path: name });
  for (const service of [messaging, sessions, management]) service.close();
}
