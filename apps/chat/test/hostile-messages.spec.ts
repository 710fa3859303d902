import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  editMessageParameters,
  messageHistoryParameters,
} from '../src/modules/message-editing/edit-message.schemas.js';
import { deleteTopicParameters } from '../src/modules/message-deletion/message-deletion.schemas.js';
import {
  flagsForNarrowParameters,
  markChannelParameters,
  markTopicParameters,
  updateFlagsParameters,
} from '../src/modules/message-flags/message-flags.schemas.js';
import { reportMessageParameters } from '../src/modules/message-reports/message-reports.schemas.js';
import { getMessageParameters } from '../src/modules/messages/get-message.schemas.js';
import { renderMessageParameters } from '../src/modules/messages/render-message.schemas.js';
import { addReactionParameters, removeReactionParameters } from '../src/modules/reactions/reactions.schemas.js';
import { addSubmessageParameters } from '../src/modules/submessages/submessages.schemas.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';
import { send } from './queue-support.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let id = 0;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  iago = await signIn(chat, 'iago');
  id = await send(iago, {});
});
afterAll(() => cluster.stop());

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.constant('a\u0000b'));
const plausible = fc.oneof(
  fc.constantFrom(
    'true',
    'newest',
    'date',
    'change_all',
    'remove',
    'starred',
    'zulip',
    'realm_emoji',
    '1f44d',
    '/poll x',
  ),
  fc.constantFrom('-1', '0', '1', '3', '2147483648', '9007199254740993', '1e400', '99999999999999999999'),
  fc.json(),
  fc.array(fc.oneof(fc.integer(), fc.maxSafeInteger())).map((list) => JSON.stringify(list)),
);
const value = fc.oneof({ weight: 3, arbitrary: plausible }, { weight: 1, arbitrary: text });

/** Endpoints with a request that they accept: one or two of its parameters are replaced. */
const endpoints = [
  ['GET', 'messages/{id}', getMessageParameters, {}],
  ['PATCH', 'messages/{id}', editMessageParameters, { content: 'x' }],
  ['PATCH', 'messages/{id}', editMessageParameters, { topic: 'x', propagate_mode: 'change_later' }],
  ['GET', 'messages/{id}/history', messageHistoryParameters, {}],
  ['POST', 'streams/1/delete_topic', deleteTopicParameters, { topic_name: 'x' }],
  ['POST', 'messages/{id}/reactions', addReactionParameters, { emoji_name: 'smile' }],
  ['DELETE', 'messages/{id}/reactions', removeReactionParameters, { emoji_name: 'smile' }],
  ['POST', 'messages/flags', updateFlagsParameters, { messages: '[]', op: 'add', flag: 'read' }],
  [
    'POST',
    'messages/flags/narrow',
    flagsForNarrowParameters,
    { anchor: 'newest', num_before: '5', num_after: '0', op: 'add', flag: 'read' },
  ],
  ['POST', 'mark_stream_as_read', markChannelParameters, { stream_id: '1' }],
  ['POST', 'mark_topic_as_read', markTopicParameters, { stream_id: '1', topic_name: 'x' }],
  ['POST', 'messages/render', renderMessageParameters, { content: 'x' }],
  ['POST', 'submessage', addSubmessageParameters, { message_id: '1', msg_type: 'widget', content: '{}' }],
  ['POST', 'messages/{id}/report', reportMessageParameters, { report_type: 'spam' }],
] as const;

describe('whatever a client sends about messages', () => {
  it.each(endpoints)('%s %s answers without a failure of the server', async (method, path, { names }, base) => {
    const url = `/api/v1/${path.replace('{id}', String(id))}`;
    const replaced = fc.array(fc.tuple(fc.constantFrom(...names), value), { minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(replaced, async (changes) => {
        const fields = { ...base, ...Object.fromEntries(changes) };
        const options = method === 'GET' ? { query: fields } : { form: fields };
        const { status, body } = await iago.client.request(method, url, { ...options, unchecked: true });
        expect({ status, body }).toMatchObject({ status: expect.toBeOneOf([200, 400]) });
      }),
      { numRuns: 20 },
    );
    // A refusal by the database is answered too, but validation should have come first.
    expect(cluster.log.filter((line) => line.includes('that the database refused'))).toEqual([]);
  });
});
