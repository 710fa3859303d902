import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUserParameters, updateUserParameters } from '../src/modules/accounts/accounts.schemas.js';
import { createBotParameters, updateBotParameters } from '../src/modules/bots/bots.schemas.js';
import { updateRealmParameters } from '../src/modules/realms/update-realm.schemas.js';
import {
  changeMembersParameters,
  changeSubgroupsParameters,
  createGroupParameters,
  updateGroupParameters,
} from '../src/modules/user-groups/user-groups.schemas.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let userId = 0;
let groupId = 0;
let botId = 0;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  desdemona = await signIn(chat, 'desdemona');
  await chat.runtime.database.query('UPDATE users SET can_create_users = true, can_change_user_emails = true');
  userId = (await signIn(chat, 'hamlet')).id;
  const group = { name: 'group', description: '', members: '[]' };
  groupId = (await desdemona.client.post<{ group_id: number }>('/api/v1/user_groups/create', { form: group })).body
    .group_id;
  const bot = { full_name: 'A Robot', short_name: 'robot' };
  botId = (await desdemona.client.post<{ user_id: number }>('/api/v1/bots', { form: bot })).body.user_id;
});
afterAll(() => cluster.stop());

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constant('a\u0000b'),
  fc.constantFrom('"x"', 'a@b.co', '', ' '),
);
const id = fc.oneof(fc.integer({ min: -2, max: 60 }), fc.integer(), fc.maxSafeInteger(), fc.double());
const ids = fc.array(id, { maxLength: 3 });
const setting = fc.oneof(id, fc.record({ direct_members: ids, direct_subgroups: ids }));

/** What is almost right: ids at the edges, lists of them, permissions and their changes, JSON of any shape. */
const plausible = fc.oneof(
  fc.constantFrom('true', 'false', 'null', '100', '600', '-1', '2147483648', '1e400', '"unlimited"', 'Verona'),
  fc.json(),
  fc
    .oneof(id, ids, setting, fc.record({ new: setting, old: setting }), fc.record({ new: setting }))
    .map((value) => JSON.stringify(value)),
);
const value = fc.oneof({ weight: 4, arbitrary: plausible }, { weight: 1, arbitrary: text });

/** Endpoints with a request that they accept: some of its parameters are replaced. */
const endpoints = [
  ['patch', 'users/{user}', updateUserParameters, {}],
  ['post', 'users', createUserParameters, { email: 'new@example.com', password: 'long enough', full_name: 'A B' }],
  ['post', 'user_groups/create', createGroupParameters, { name: 'another', description: '', members: '[]' }],
  ['patch', 'user_groups/{group}', updateGroupParameters, { description: 'x' }],
  ['post', 'user_groups/{group}/members', changeMembersParameters, {}],
  ['post', 'user_groups/{group}/subgroups', changeSubgroupsParameters, {}],
  ['post', 'bots', createBotParameters, { full_name: 'B C', short_name: 'b' }],
  ['patch', 'bots/{bot}', updateBotParameters, {}],
  ['patch', 'realm', updateRealmParameters, {}],
] as const;

const paths = [
  ['get', 'users/'],
  ['patch', 'users/'],
  ['delete', 'users/'],
  ['get', 'user_groups/{group}/members/'],
  ['patch', 'user_groups/'],
  ['delete', 'bots/'],
] as const;

const url = (path: string) =>
  `/api/v1/${path.replace('{user}', String(userId)).replace('{group}', String(groupId)).replace('{bot}', String(botId))}`;

describe('whatever an administrator sends', () => {
  it.each(endpoints)('%s %s answers without a failure of the server', async (method, path, { names }, base) => {
    const replaced = fc.array(fc.tuple(fc.constantFrom(...names), value), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(replaced, async (changes) => {
        const form: Record<string, string> = { ...base, ...Object.fromEntries(changes) };
        const { status } = await desdemona.client[method](url(path), { form });
        expect([200, 400, 401]).toContain(status);
      }),
      { numRuns: 20 },
    );
    // A refusal by the database is answered too, but validation should have come first.
    expect(cluster.log.filter((line) => line.includes('that the database refused'))).toEqual([]);
  });

  it.each(paths)('%s %s answers any last part of the path', async (method, path) => {
    const part = fc.oneof(fc.string({ minLength: 1 }), fc.maxSafeInteger().map(String), fc.constant('9'.repeat(15)));
    // Not the accounts that the suite lives by.
    const usable = part.filter((last) => !/^(\.{1,2}|\s*\d{1,3}\s*)$/.test(last) && last.isWellFormed());
    await fc.assert(
      fc.asyncProperty(usable, async (last) => {
        const target = `${url(path)}${encodeURIComponent(last)}`;
        const { status } = await (method === 'get'
          ? desdemona.client.get(target)
          : desdemona.client[method](target, { form: {} }));
        expect([200, 400, 404, 405]).toContain(status);
      }),
      { numRuns: 20 },
    );
  });
});
