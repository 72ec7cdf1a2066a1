// sdk_disabled_story: what a sender of Azure's JavaScript SDK hears when its queue `q` is disabled, enabled and deleted by
// somebody else, who is told where the program is by what it says, and says a line when that is done.
//
//   node sdk_disabled_story.mjs CONNECTION_STRING      0 if all went as it should
import assert from 'node:assert';
import { once } from 'node:events';
import { clientOf } from './service_bus.mjs';

// A message that crosses the broker's detach has no answer: the SDK waits for one, and asks again.
const client = clientOf(process.argv[2], { retryOptions: { maxRetries: 1, retryDelayInMs: 100, timeoutInMs: 10_000 } });
const sender = client.createSender('q');
const isTold = async (said) => {
  const answered = once(process.stdin, 'data');
  console.log(said);
  await answered;
};
// Of two tries that failed differently the SDK tells both.
const codeOf = (error) => (error.errors?.at(-1) ?? error).code;
const fails = (code) => assert.rejects(sender.sendMessages({ body: 'x' }), (error) => codeOf(error) === code);

await sender.sendMessages({ body: 'one' });
await isTold('sent');
await fails('MessagingEntityDisabled');
await isTold('heard that it is disabled');
await sender.sendMessages({ body: 'two' });
await isTold('goes on');
await fails('MessagingEntityNotFound');
console.log('heard that it is gone');
process.stdin.destroy();
await client.close();
