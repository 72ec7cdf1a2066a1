// One request, many replies: a request is sent to a topic, and each of its subscribers answers. Needs the packages of
// package.json.
//
// Every subscription of the topic gets its own copy of a request; rules say which requests a subscriber wants. The
// queue of replies requires sessions: the id of a session is the address of one who waits.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const proto = new URL('../../../proto', import.meta.url).pathname;
const files = ['messaging', 'sessions', 'management', 'topics'].map((name) => `wharf/v1/${name}.proto`);
const definition = loadSync(files, { keepCase: true, includeDirs: [proto] });
const { Messaging, Sessions, Management, Topics } = grpc.loadPackageDefinition(definition).wharf.v1;
const connect = (Service) =>
  new Service(process.env.WHARF_ADDRESS ?? '127.0.0.1:5680', grpc.credentials.createInsecure());
const [messaging, sessions, management, topics] = [Messaging, Sessions, Management, Topics].map(connect);
const call = (service, method, request) => promisify(service[method].bind(service))(request);

// Who sells, what each asks for it, and which requests it wants to see.
const shops = {
  bakery: { price: 3, wanted: "thing = 'cake'" },
  cafe: { price: 4, wanted: "thing IN ('cake', 'coffee')" },
  kiosk: { price: 2, wanted: "thing = 'coffee'" },
};

const send = (path, body, properties) =>
  call(messaging, 'Send', { entity_path: path, messages: [{ body: Buffer.from(body), ...properties }] });

// The next message, completed; in the session that this token holds.
async function receive(path, session) {
  const request = { entity_path: path, max_wait: { seconds: 30 }, session_lock_token: session };
  const { messages: [received] } = await call(messaging, 'Receive', request);
  const settlement = { lock_tokens: [received.lock_token], complete: {} };
  await call(messaging, 'Settle', { entity_path: path, settlement });
  return received.message;
}

const subscribe = (shop) =>
  call(topics, 'CreateSubscription', {
    subscription: { topic: 'offers', name: shop },
    default_rule: { name: 'wanted', sql_filter: { text: shops[shop].wanted } },
  });

// Answers so many requests, each where it asks for its replies.
async function serve(shop, count) {
  for (let i = 0; i < count; ++i) {
    const request = await receive(`offers/Subscriptions/${shop}`);
    await send(request.reply_to, `${shop} asks ${shops[shop].price} for ${request.body}`, {
      session_id: request.reply_to_session_id,
      correlation_id: request.message_id,
    });
  }
}

// Sends one request, and waits for this many replies to it.
async function ask(thing, repliesWanted) {
  const session = await call(sessions, 'AcceptSession', { entity_path: 'prices', session_id: randomUUID() });
  const id = randomUUID();
  await send('offers', thing, {
    message_id: id,
    reply_to: 'prices',
    reply_to_session_id: session.session_id,
    application_properties: { thing: { string_value: thing } },
  });
  const replies = [];
  while (replies.length < repliesWanted) replies.push(await receive('prices', session.session_lock_token));
  for (const reply of replies) assert.equal(reply.correlation_id, id);
  await call(sessions, 'ReleaseSession', { entity_path: 'prices', session_lock_token: session.session_lock_token });
  return replies.map((reply) => reply.body.toString()).sort();
}

await call(topics, 'CreateTopic', { topic: { name: 'offers' } });
await call(management, 'CreateQueue', { queue: { name: 'prices', requires_session: true } });
try {
  for (const shop of Object.keys(shops)) await subscribe(shop);
  const servers = [serve('bakery', 1), serve('cafe', 2), serve('kiosk', 1)];
  for (const thing of ['cake', 'coffee']) console.log((await ask(thing, 2)).join('\n'));
  await Promise.all(servers);
} finally {
  await call(topics, 'DeleteTopic', { entity_path: 'offers' });
  await call(management, 'DeleteQueue', { entity_path: 'prices' });
  for (const service of [messaging, sessions, management, topics]) service.close();
}
