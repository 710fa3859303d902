import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createFolderParameters,
  reorderFoldersParameters,
  updateFolderParameters,
} from '../src/modules/channel-folders/channel-folders.schemas.js';
import {
  channelIdParameters,
  defaultChannelParameters,
  listChannelsParameters,
  updateChannelParameters,
} from '../src/modules/channels/channels.schemas.js';
import {
  createChannelParameters,
  listSubscriptionsParameters,
  setPreferenceParameters,
  setPreferencesParameters,
  subscribeParameters,
  unsubscribeParameters,
  updateSubscriptionsParameters,
} from '../src/modules/subscriptions/subscriptions.schemas.js';
import { listTopicsParameters } from '../src/modules/topics/topics.schemas.js';
import { muteTopicParameters, setUserTopicParameters } from '../src/modules/user-topics/user-topics.schemas.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  desdemona = await signIn(chat, 'desdemona');
});
afterAll(() => cluster.stop());

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constant('a\u0000b'),
  fc.constantFrom('Verona', '#abcdef', '', ' '),
);
const id = fc.oneof(fc.integer({ min: -2, max: 30 }), fc.integer(), fc.maxSafeInteger(), fc.double());
const ids = fc.array(id, { maxLength: 3 });
const setting = fc.oneof(id, fc.record({ direct_members: ids, direct_subgroups: ids }));
const preference = fc.record({
  stream_id: id,
  property: fc.constantFrom('is_muted', 'in_home_view', 'color', 'pin_to_top', 'volume'),
  value: fc.oneof(fc.boolean(), text),
});

/** What is almost right: channels by name, ids at the edges, permissions and their changes, JSON of any shape. */
const plausible = fc.oneof(
  fc.constantFrom('true', 'false', 'null', '1', '2147483648', '1e400', '"unlimited"', 'partial', 'Verona'),
  fc.json(),
  fc.array(fc.record({ name: text, description: text }), { maxLength: 2 }).map((list) => JSON.stringify(list)),
  fc.array(fc.oneof(text, fc.constant('Verona')), { maxLength: 2 }).map((list) => JSON.stringify(list)),
  fc
    .oneof(id, ids, setting, fc.record({ new: setting, old: setting }), fc.array(preference, { maxLength: 2 }))
    .map((value) => JSON.stringify(value)),
);
const value = fc.oneof({ weight: 4, arbitrary: plausible }, { weight: 1, arbitrary: text });

const verona = { subscriptions: '[{"name": "Verona"}]' };

/** Endpoints with a request that they accept: some of its parameters are replaced. */
const endpoints = [
  ['get', 'streams', listChannelsParameters, {}],
  ['get', 'get_stream_id', channelIdParameters, { stream: 'Verona' }],
  ['patch', 'streams/1', updateChannelParameters, {}],
  ['post', 'default_streams', defaultChannelParameters, { stream_id: '1' }],
  ['delete', 'default_streams', defaultChannelParameters, { stream_id: '1' }],
  ['get', 'users/me/subscriptions', listSubscriptionsParameters, {}],
  ['post', 'users/me/subscriptions', subscribeParameters, verona],
  ['delete', 'users/me/subscriptions', unsubscribeParameters, { subscriptions: '["Verona"]' }],
  ['patch', 'users/me/subscriptions', updateSubscriptionsParameters, { delete: '["Verona"]' }],
  ['post', 'users/me/subscriptions/properties', setPreferencesParameters, { subscription_data: '[]' }],
  ['patch', 'users/me/subscriptions/1', setPreferenceParameters, { property: 'color', value: '#abcdef' }],
  ['post', 'channels/create', createChannelParameters, { name: 'made by chance', subscribers: '[]' }],
  ['get', 'users/me/1/topics', listTopicsParameters, {}],
  ['post', 'user_topics', setUserTopicParameters, { stream_id: '1', topic: 'x', visibility_policy: '1' }],
  ['patch', 'users/me/subscriptions/muted_topics', muteTopicParameters, { stream_id: '1', topic: 'x', op: 'add' }],
  ['post', 'channel_folders/create', createFolderParameters, { name: 'by chance', description: '' }],
  ['patch', 'channel_folders', reorderFoldersParameters, { order: '[]' }],
  ['patch', 'channel_folders/1', updateFolderParameters, {}],
] as const;

const paths = [
  'streams/{}',
  'streams/{}/members',
  'users/me/{}/topics',
  'users/{}/channels',
  'users/1/subscriptions/{}',
];

describe('whatever is sent about channels', () => {
  it.each(endpoints)('%s %s answers without a failure of the server', async (method, path, { names }, base) => {
    const replaced = fc.array(fc.tuple(fc.constantFrom(...names), value), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(replaced, async (changes) => {
        const sent: Record<string, string> = { ...base, ...Object.fromEntries(changes) };
        const url = `/api/v1/${path}`;
        const { status } = await (method === 'get'
          ? desdemona.client.get(url, { query: sent })
          : desdemona.client[method](url, { form: sent }));
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 20 },
    );
    // A refusal by the database is answered too, but validation should have come first.
    expect(cluster.log.filter((line) => line.includes('that the database refused'))).toEqual([]);
  });

  it.each(paths)('%s answers any part of the path', async (path) => {
    const part = fc.oneof(fc.string({ minLength: 1 }), fc.maxSafeInteger().map(String), fc.constant('9'.repeat(15)));
    const usable = part.filter((last) => last.isWellFormed() && !/^\.{1,2}$/.test(last));
    await fc.assert(
      fc.asyncProperty(usable, async (sent) => {
        const { status } = await desdemona.client.get(`/api/v1/${path.replace('{}', encodeURIComponent(sent))}`);
        expect([200, 400, 404]).toContain(status);
      }),
      { numRuns: 20 },
    );
  });
});
