// Send, receive and complete one message. Needs the packages of package.json and the queue.

import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { promisify } from 'node:util';

const proto = new URL('../../../proto', import.meta.url).pathname;
const definition = loadSync('wharf/v1/messaging.proto', { keepCase: true, includeDirs: [proto] });
const { Messaging } = grpc.loadPackageDefinition(definition).wharf.v1;
const wharf = new Messaging(process.env.WHARF_ADDRESS ?? '127.0.0.1:5680', grpc.credentials.createInsecure());
const call = (method, request) => promisify(wharf[method].bind(wharf))(request);

await call('Send', { entity_path: 'orders', messages: [{ body: Buffer.from('one coffee') }] });
const { messages: [order] } = await call('Receive', { entity_path: 'orders', max_wait: { seconds: 10 } });
console.log(`${order.sequence_number} ${order.message.body}`);
await call('Settle', { entity_path: 'orders', settlement: { lock_tokens: [order.lock_token], complete: {} } });
wharf.close();
