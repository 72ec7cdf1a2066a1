// wire: what the Node wire tests share: the services as loaded from the .proto files, the calls, streams, the daemon
// and its errors.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';
import protobuf from 'protobufjs';

export const status = grpc.status;

const protoDir = fileURLToPath(new URL('../../../proto', import.meta.url));
const grpcProtoDir = '/usr/share/grpc-proto'; // Debian's copies of the health and reflection services

const definition = protoLoader.loadSync(
  [
    'wharf/v1/messaging.proto',
    'wharf/v1/sessions.proto',
    'wharf/v1/transactions.proto',
    'wharf/v1/management.proto',
    'wharf/v1/topics.proto',
    'grpc/health/v1/health.proto',
    'grpc/reflection/v1alpha/reflection.proto',
  ],
  { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true, includeDirs: [protoDir, grpcProtoDir] },
);
const services = grpc.loadPackageDefinition(definition);

// The error details travel in a trailer, which a client reads for itself.
const details = new protobuf.Root();
details.resolvePath = (_, target) => `${protoDir}/${target}`;
details.loadSync(['google/rpc/status.proto', 'google/rpc/error_details.proto']);
const Status = details.lookupType('google.rpc.Status');
const ErrorInfo = details.lookupType('google.rpc.ErrorInfo');

export const unknownToken = Buffer.from([...Array(16).keys()].map((i) => i + 1));

// Only a broken broker ever waits so long.
const deadline = () => ({ deadline: Date.now() + 60_000 });

// One connection, with the calls of all services and short forms of the frequent ones.
export class Client {
  constructor(address = process.env.WHARF_ADDRESS) {
    // A connection of its own: clients with equal options would share one.
    const options = { 'grpc.use_local_subchannel_pool': 1, 'grpc.max_receive_message_length': 8 << 20 };
    this.channel = new grpc.Channel(address, grpc.credentials.createInsecure(), options);
    const stub = (Service) => new Service(address, null, { channelOverride: this.channel });
    this.messaging = stub(services.wharf.v1.Messaging);
    this.management = stub(services.wharf.v1.Management);
    this.topics = stub(services.wharf.v1.Topics);
    this.sessions = new SessionCalls(stub(services.wharf.v1.Sessions));
    this.transactions = new TransactionCalls(stub(services.wharf.v1.Transactions));
    this.health = stub(services.grpc.health.v1.Health);
    this.reflection = stub(services.grpc.reflection.v1alpha.ServerReflection);
  }

  close() {
    this.channel.close();
  }

  create(name, properties = {}) {
    return call(this.management, 'CreateQueue', { queue: { name, ...properties } });
  }

  update(name, properties = {}) {
    return call(this.management, 'UpdateQueue', { entity_path: name, queue: properties });
  }

  get(name) {
    return call(this.management, 'GetQueue', { entity_path: name });
  }

  delete(name) {
    return call(this.management, 'DeleteQueue', { entity_path: name });
  }

  runtime(name) {
    return call(this.management, 'GetQueueRuntimeProperties', { entity_path: name });
  }

  // Sends messages, or bodies; answers the results.
  async send(path, messages, options = {}) {
    const request = { entity_path: path, messages: messages.map(asMessage), ...options };
    return (await call(this.messaging, 'Send', request)).results;
  }

  async receive(path, count = 1, options = {}) {
    const request = { entity_path: path, max_messages: count, ...options };
    return (await call(this.messaging, 'Receive', request)).messages;
  }

  // Receives `count` messages, in as many answers as it takes.
  async receiveAll(path, count) {
    const messages = [];
    while (messages.length < count) {
      messages.push(...(await this.receive(path, count - messages.length, { max_wait: { seconds: 30 } })));
    }
    return messages;
  }

  async receiveOne(path) {
    const messages = await this.receive(path, 1, { max_wait: { seconds: 30 } });
    assert.equal(messages.length, 1);
    return messages[0];
  }

  async peek(path, start = 0, count = 250, options = {}) {
    const request = { entity_path: path, from_sequence_number: start, max_messages: count, ...options };
    return call(this.messaging, 'Peek', request);
  }

  async receiveDeferred(path, numbers, options = {}) {
    const request = { entity_path: path, sequence_numbers: numbers, ...options };
    return (await call(this.messaging, 'ReceiveDeferred', request)).messages;
  }

  // settle(path, tokens, { complete: {} }) answers one result for each token.
  async settle(path, tokens, verb, options = {}) {
    const request = { entity_path: path, settlement: { lock_tokens: tokens, ...verb }, ...options };
    return (await call(this.messaging, 'Settle', request)).results;
  }

  complete(path, ...tokens) {
    return this.settle(path, tokens, { complete: {} });
  }

  abandon(path, token, properties = {}) {
    return this.settle(path, [token], { abandon: { properties_to_modify: properties } });
  }

  deadLetter(path, token, options = {}) {
    return this.settle(path, [token], { dead_letter: options });
  }

  release(path, ...tokens) {
    return this.settle(path, tokens, { release: {} });
  }

  async renew(path, ...tokens) {
    return (await call(this.messaging, 'RenewLock', { entity_path: path, lock_tokens: tokens })).results;
  }
}

// The calls of the service Transactions in short forms.
class TransactionCalls {
  constructor(service) {
    this.service = service;
  }

  run(operations, name = '') {
    return call(this.service, 'RunTransaction', { transaction_id: name, operations });
  }

  async begin(name = '') {
    return (await call(this.service, 'BeginTransaction', { transaction_id: name })).transaction_id;
  }

  commit(name) {
    return call(this.service, 'CommitTransaction', { transaction_id: name });
  }

  rollback(name) {
    return call(this.service, 'RollbackTransaction', { transaction_id: name });
  }

  get(name) {
    return call(this.service, 'GetTransaction', { transaction_id: name });
  }
}

// The calls of the service Sessions in short forms.
class SessionCalls {
  constructor(service) {
    this.service = service;
  }

  // The session of this id, or the next one.
  accept(path, sessionId, wait = 0) {
    const request = { entity_path: path, max_wait: { seconds: wait } };
    if (sessionId !== undefined) request.session_id = sessionId;
    return call(this.service, 'AcceptSession', request);
  }

  // Until when the lock holds now.
  async renew(path, token) {
    const request = { entity_path: path, session_lock_token: token };
    return (await call(this.service, 'RenewSessionLock', request)).locked_until;
  }

  release(path, token) {
    return call(this.service, 'ReleaseSession', { entity_path: path, session_lock_token: token });
  }

  forceRelease(path, sessionId) {
    return call(this.service, 'ForceReleaseSession', { entity_path: path, session_id: sessionId });
  }

  // Undefined if it has no state.
  async state(path, token) {
    const response = await call(this.service, 'GetSessionState', { entity_path: path, session_lock_token: token });
    return response._state === 'state' ? response.state : undefined;
  }

  // Undefined clears it. The messages of these lock tokens are completed in the same commit.
  setState(path, token, state, completed = []) {
    const request = { entity_path: path, session_lock_token: token, complete_lock_tokens: completed };
    if (state !== undefined) request.state = state;
    return call(this.service, 'SetSessionState', request);
  }

  list(path, options = {}) {
    return call(this.service, 'ListSessions', { entity_path: path, ...options });
  }

  deepest(path, count) {
    return call(this.service, 'ListDeepestSessions', { entity_path: path, max_sessions: count });
  }
}

function asMessage(value) {
  return typeof value === 'string' || Buffer.isBuffer(value) ? { body: Buffer.from(value) } : value;
}

export const bodies = (messages) => messages.map((message) => message.message.body.toString());

export function call(service, method, request) {
  return new Promise((resolve, reject) => {
    service[method](request, deadline(), (error, response) => (error ? reject(error) : resolve(response)));
  });
}

// Sends these bytes as the request, whatever they are.
export function callWithBytes(client, method, bytes) {
  return new Promise((resolve, reject) => {
    const asIs = (value) => value;
    client.messaging.makeUnaryRequest(`/wharf.v1.${method}`, asIs, asIs, bytes, deadline(), (error, response) =>
      error ? reject(error) : resolve(response),
    );
  });
}

// A bidirectional stream: write requests, read responses, each when the test wants it.
export class Stream {
  constructor(service, method) {
    this.call = service[method](deadline());
    this.call.on('error', () => {}); // The reader hears of it.
    this.responses = this.call[Symbol.asyncIterator]();
  }

  write(request) {
    this.call.write(request);
  }

  writesDone() {
    this.call.end();
  }

  async read() {
    const { value, done } = await this.responses.next();
    assert.ok(!done, 'the stream has ended');
    return value;
  }

  async rest() {
    const responses = [];
    for (let next = await this.responses.next(); !next.done; next = await this.responses.next()) {
      responses.push(next.value);
    }
    return responses;
  }

  cancel() {
    this.call.cancel();
  }
}

// A receive stream in words: start, grant, deliveries, settle, drain, stop.
export class ReceiveStream extends Stream {
  // On a queue that requires sessions `session` says which: { session_id: 'red' }, ...
  constructor(client, path, mode = 'RECEIVE_MODE_PEEK_LOCK', session = {}) {
    super(client.messaging, 'ReceiveStream');
    this.write({ start: { entity_path: path, mode, ...session } });
  }

  grant(messages, limits = {}) {
    this.write({ grant: { messages, ...limits } });
  }

  revoke(messages) {
    this.write({ revoke: { messages } });
  }

  drain() {
    this.write({ drain: {} });
  }

  stop() {
    this.write({ stop: {} });
  }

  settle(requestId, tokens, verb) {
    this.write({ settle: { request_id: requestId, settlement: { lock_tokens: tokens, ...verb } } });
  }

  renew(requestId, tokens) {
    this.write({ renew_lock: { request_id: requestId, lock_tokens: tokens } });
  }

  // The next response, which must be of this kind.
  async expect(kind) {
    const response = await this.read();
    assert.equal(response.response, kind, JSON.stringify(response));
    return response[kind];
  }

  // The next `count` messages, however many responses they came in.
  async deliveries(count) {
    const messages = [];
    while (messages.length < count) messages.push(...(await this.expect('deliveries')).messages);
    return messages;
  }
}

// A broker of one's own, for those who kill it.
export class Daemon {
  constructor(data) {
    this.data = data;
  }

  async start() {
    const options = { stdio: ['ignore', 'inherit', 'pipe'] };
    this.process = spawn(process.env.WHARFD, ['--data', this.data, '--listen', '127.0.0.1:0'], options);
    const said = [];
    for await (const line of createInterface({ input: this.process.stderr })) {
      said.push(line);
      const ready = /wharfd ready on (\S+)/.exec(line);
      if (!ready) continue;
      this.process.stderr.resume();
      this.client = new Client(ready[1]);
      return;
    }
    throw new Error(`wharfd did not start:\n${said.join('\n')}`);
  }

  // Answers the exit code, or the signal that ended it.
  async end(signal = 'SIGKILL') {
    this.client?.close();
    if (this.process.exitCode !== null || this.process.signalCode !== null) return this.process.exitCode;
    const exit = once(this.process, 'exit');
    this.process.kill(signal);
    const [code, killer] = await exit;
    return code ?? killer;
  }

  async killAndRestart() {
    await this.end('SIGKILL');
    await this.start();
  }
}

// The google.rpc.Status of a failed call, from its trailer.
export function statusOf(error) {
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  assert.ok(bytes, `no details: ${error.message}`);
  return Status.toObject(Status.decode(bytes));
}

// The one google.rpc.ErrorInfo of a google.rpc.Status.
export function errorInfo(rpcStatus) {
  const infos = rpcStatus.details.filter((detail) => detail.type_url.endsWith('/google.rpc.ErrorInfo'));
  assert.equal(infos.length, 1);
  return ErrorInfo.toObject(ErrorInfo.decode(infos[0].value));
}

// The Status, of a call or of one item, must be this; answers the ErrorInfo.
export function assertError(rpcStatus, code, reason) {
  const info = errorInfo(rpcStatus);
  assert.deepEqual([rpcStatus.code, info.domain, info.reason], [code, 'wharf', reason], rpcStatus.message);
  assert.equal(info.metadata.outcome, 'not-done');
  return info;
}

// The call must fail with this code and this reason, having changed nothing; answers the ErrorInfo.
export async function assertFails(promise, code, reason) {
  const error = await failure(promise);
  const rpcStatus = statusOf(error);
  assert.deepEqual([error.code, rpcStatus.message], [code, error.details]);
  return assertError(rpcStatus, code, reason);
}

export async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.fail('the call succeeded');
}

export function assertSettled(results, count = 1) {
  assert.deepEqual(results.map((result) => result.error ?? 'settled'), Array(count).fill('settled'));
}

let numbers = 0;

// A client of the shared broker, closed when the test ends, and names of its own.
export function fixture(t) {
  const client = new Client();
  t.after(() => client.close());
  const newName = () => `wire-node/${process.pid}-${++numbers}`;
  const newQueue = async (properties) => {
    const name = newName();
    await client.create(name, properties);
    return name;
  };
  const newStream = (path, mode, session) => {
    const stream = new ReceiveStream(client, path, mode, session);
    t.after(() => stream.cancel());
    return stream;
  };
  const startedStream = async (path, mode) => {
    const stream = newStream(path, mode);
    await stream.expect('started');
    return stream;
  };
  return { client, newName, newQueue, newStream, startedStream };
}
