import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteQueueParameters, getEventsParameters } from '../src/modules/event-queues/events.schemas.js';
import { registerParameters } from '../src/modules/event-queues/register.schemas.js';
import { listMessagesParameters } from '../src/modules/messages/list-messages.schemas.js';
import { sendMessageParameters } from '../src/modules/messages/send-message.schemas.js';
import { listUsersParameters } from '../src/modules/users/users.schemas.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  iago = await signIn(chat, 'iago');
});
afterAll(() => cluster.stop());

/** Text of every kind, null bytes and halves of pairs among it. */
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.constant('a\u0000b'));

/** What is almost right: words that the endpoints know, numbers at the edges, JSON of any shape. */
const plausible = fc.oneof(
  fc.constantFrom('true', 'newest', 'date', 'channel', 'direct', 'Verona', 'mobile', '2026-02-31', 'iago@example.com'),
  fc.constantFrom('-1', '0', '1', '2147483648', '9007199254740993', '1e400', '99999999999999999999'),
  fc.json(),
  fc.array(fc.oneof(fc.integer(), fc.maxSafeInteger())).map((list) => JSON.stringify(list)),
  fc
    .array(
      fc.record({
        operator: fc.constantFrom('channel', 'topic', 'dm', 'dm-with', 'sender', 'is', 'has', 'id', 'near', 'in', 'x'),
        operand: fc.oneof(text, fc.integer(), fc.double(), fc.array(fc.oneof(fc.integer(), fc.double()))),
        negated: fc.boolean(),
      }),
      { maxLength: 3 },
    )
    .map((terms) => JSON.stringify(terms)),
);

const value = fc.oneof({ weight: 3, arbitrary: plausible }, { weight: 1, arbitrary: text });

/** Endpoints with a request that they accept: one or two of its parameters are replaced. */
const endpoints = [
  ['GET', '/api/v1/messages', listMessagesParameters, { anchor: 'newest', num_before: '5', num_after: '0' }],
  ['POST', '/api/v1/messages', sendMessageParameters, { type: 'channel', to: 'Verona', topic: 't', content: 'c' }],
  ['POST', '/api/v1/messages', sendMessageParameters, { type: 'direct', to: '[1]', content: 'c' }],
  ['GET', '/api/v1/users', listUsersParameters, {}],
  ['POST', '/api/v1/register', registerParameters, { fetch_event_types: '["message"]' }],
  ['DELETE', '/api/v1/events', deleteQueueParameters, {}],
  // Held polls would only wait.
  ['GET', '/api/v1/events', getEventsParameters, { queue_id: 'x', last_event_id: '-1', dont_block: 'true' }],
] as const;

describe('whatever a client sends', () => {
  it.each(endpoints)('%s %s answers without a failure of the server', async (method, path, { names }, base) => {
    const replaced = fc.array(fc.tuple(fc.constantFrom(...names), value), { minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(replaced, async (changes) => {
        const fields = { ...base, ...Object.fromEntries(changes) };
        const options = method === 'GET' ? { query: fields } : { form: fields };
        const { status, body } = await iago.client.request(method, path, { ...options, unchecked: true });
        expect({ status, body }).toMatchObject({ status: expect.toBeOneOf([200, 400]) });
      }),
      { numRuns: 60 },
    );
    // A refusal by the database is answered too, but validation should have come first.
    expect(cluster.log.filter((line) => line.includes('that the database refused'))).toEqual([]);
  });
});
