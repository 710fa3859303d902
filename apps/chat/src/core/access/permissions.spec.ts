import type { Tx } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorRights, loadActorRights } from './actor-rights.js';
import { channelPermissionSettings, realmPermissions, type RealmPermission } from './permission-settings.js';
import {
  storeGroupPermissionChanges,
  type GroupPermissionValue,
  listAnonymousGroups,
  removeReplacedAnonymousGroups,
  storeGroupPermissions,
} from '../user-groups/index.js';
import { type ChatCluster, chatCluster, type ChatProcess } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let realmId: number;
const groups = new Map<string, number>();
const people = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  const { database } = chat.runtime;
  const named = await database.query<{ id: number; name: string; realm_id: number }>(
    "SELECT id, name, realm_id FROM user_groups WHERE kind = 'system'",
  );
  for (const { id, name } of named.rows) groups.set(name, id);
  realmId = named.rows[0]?.realm_id ?? 0;
  const users = await database.query<{ id: number; name: string }>(
    "SELECT id, split_part(delivery_email, '@', 1) AS name FROM users",
  );
  for (const { id, name } of users.rows) people.set(name, id);
});
afterAll(() => cluster.stop());

const inTransaction = <T>(run: (tx: Tx) => Promise<T>): Promise<T> => chat.runtime.database.inTransaction(run);

function rightsOf(name: string): Promise<ActorRights> {
  return loadActorRights(chat.runtime.database, { id: people.get(name) ?? 0 });
}

function store(name: RealmPermission, value: GroupPermissionValue) {
  return inTransaction((tx) => storeGroupPermissions(tx, realmId, [{ name, setting: realmPermissions[name], value }]));
}

async function addGroup(name: string, members: string[], subgroups: number[] = []): Promise<number> {
  const nobody = groups.get('role:nobody');
  const { rows } = await chat.runtime.database.query<{ id: number }>(
    `WITH made AS (
       INSERT INTO user_groups (realm_id, kind, name, can_add_members_group_id, can_join_group_id, can_leave_group_id,
         can_manage_group_id, can_mention_group_id, can_remove_members_group_id)
       VALUES ($1, 'named', $2, $3, $3, $3, $3, $3, $3) RETURNING id),
     members AS (INSERT INTO user_group_members SELECT made.id, unnest($4::int[]) FROM made),
     subgroups AS (INSERT INTO user_group_subgroups SELECT made.id, unnest($5::int[]) FROM made)
     SELECT id FROM made`,
    [realmId, name, nobody, members.map((member) => people.get(member)), subgroups],
  );
  return rows[0]?.id ?? 0;
}

describe('requireActorRealmPermission', () => {
  it.each([
    ['desdemona', 'can_manage_all_groups', true],
    ['iago', 'can_manage_all_groups', false],
    ['iago', 'create_multiuse_invite_group', true],
    ['shiva', 'create_multiuse_invite_group', false],
    ['shiva', 'can_set_delete_message_policy_group', true],
    ['hamlet', 'can_set_delete_message_policy_group', false],
    ['hamlet', 'can_create_public_channel_group', true],
    ['polonius', 'can_create_public_channel_group', false],
    ['polonius', 'can_delete_own_message_group', true],
  ] as const)('gives %s the permission %s by default: %s', async (name, permission, expected) => {
    expect((await rightsOf(name)).hasRealmPermission(permission)).toBe(expected);
  });

  it("admits members of subgroups of the permission's group", async () => {
    const inner = await addGroup('inner', ['hamlet']);
    const middle = await addGroup('middle', [], [inner]);
    const outer = await addGroup('outer', ['cordelia'], [middle]);
    expect((await rightsOf('hamlet')).isGroupMember(outer)).toBe(true);
    expect((await rightsOf('cordelia')).isGroupMember(outer)).toBe(true);
    expect((await rightsOf('cordelia')).isGroupMember(inner)).toBe(false);
    expect((await rightsOf('othello')).isGroupMember(outer)).toBe(false);
  });

  it('rejects guests for a permission that excludes guests, even if a group grants it', async () => {
    const guests = await addGroup('guests', ['polonius', 'hamlet']);
    const { can_add_subscribers_group: setting, can_send_message_group: open } = channelPermissionSettings;
    expect((await rightsOf('hamlet')).hasPermission(guests, setting)).toBe(true);
    expect((await rightsOf('polonius')).hasPermission(guests, setting)).toBe(false);
    expect((await rightsOf('polonius')).hasPermission(guests, open)).toBe(true);
  });

  it('rejects a deactivated account, even if its credentials are cached', async () => {
    await chat.runtime.database.query("UPDATE users SET is_active = false WHERE delivery_email LIKE 'prospero@%'");
    await expect(rightsOf('prospero')).rejects.toMatchObject({ code: 'USER_DEACTIVATED' });
  });
});

describe('PATCH /realm: permission settings', () => {
  it('stores one group by id, and any other combination as an anonymous group', async () => {
    const members = groups.get('role:members') ?? 0;
    const hamlet = people.get('hamlet') ?? 0;
    const iago = people.get('iago') ?? 0;
    const [single] = await store('can_create_groups', { direct_members: [], direct_subgroups: [members] });
    expect(single).toMatchObject({ groupId: members, value: members });
    const [mixed] = await store('can_create_groups', {
      direct_members: [iago, hamlet, iago],
      direct_subgroups: [members],
    });
    const value = { direct_members: [iago, hamlet].toSorted((a, b) => a - b), direct_subgroups: [members] };
    expect(mixed?.value).toEqual(value);
    expect(await listAnonymousGroups(chat.runtime.database, [mixed?.groupId ?? 0])).toMatchObject([
      { isAnonymous: true, members: value.direct_members, subgroups: [members] },
    ]);
  });

  it.each([
    ['can_create_groups', 'role:internet', 'BAD_REQUEST'],
    ['can_create_groups', 'role:everyone', 'BAD_REQUEST'],
    ['can_access_all_users_group', 'role:nobody', 'BAD_REQUEST'],
  ] as const)('rejects for %s the group %s', async (name, group, code) => {
    await expect(store(name, groups.get(group) ?? 0)).rejects.toMatchObject({ code });
  });

  it('rejects deactivated or nonexistent groups and users', async () => {
    const old = await addGroup('old', []);
    await chat.runtime.database.query('UPDATE user_groups SET deactivated = true WHERE id = $1', [old]);
    await expect(store('can_create_groups', 999_999)).rejects.toThrow('Invalid user group');
    await expect(store('can_create_groups', Number.MAX_SAFE_INTEGER)).rejects.toThrow('Invalid user group');
    await expect(store('can_create_groups', old)).rejects.toThrow('Invalid user group');
    const gone = people.get('prospero') ?? 0;
    const value = { direct_members: [gone], direct_subgroups: [] };
    await expect(store('can_create_groups', value)).rejects.toThrow(`Invalid user ID ${gone}`);
  });

  it('rejects a group other than a system group for permissions that require a system group', async () => {
    const named = await addGroup('named', ['hamlet']);
    const error = { code: 'SYSTEM_GROUP_REQUIRED', fields: { setting_name: 'can_access_all_users_group' } };
    await expect(store('can_access_all_users_group', named)).rejects.toMatchObject(error);
    const value = { direct_members: [people.get('hamlet') ?? 0], direct_subgroups: [] };
    await expect(store('can_access_all_users_group', value)).rejects.toMatchObject(error);
  });

  it('rejects a change whose `old` value differs from the stored value', async () => {
    const moderators = groups.get('role:moderators') ?? 0;
    const hamlet = people.get('hamlet') ?? 0;
    const setting = { name: 'can_create_groups', setting: realmPermissions.can_create_groups };
    const first = { direct_members: [hamlet], direct_subgroups: [moderators] };
    const [made] = await store('can_create_groups', first);
    const groupId = made?.groupId ?? 0;
    const change = (wanted: GroupPermissionValue, old?: GroupPermissionValue) =>
      inTransaction((tx) =>
        storeGroupPermissionChanges(tx, realmId, [
          { ...setting, groupId, change: { new: wanted, ...(old !== undefined && { old }) } },
        ]),
      );
    await expect(change(moderators, moderators)).rejects.toMatchObject({ code: 'EXPECTATION_MISMATCH' });
    expect(await change(first, { ...first, direct_members: [hamlet, hamlet] })).toEqual([]);
    const changed = await change(moderators, first);
    const stored = { groupId: moderators, value: moderators, replaced: groupId };
    expect(changed).toEqual([{ name: setting.name, before: first, ...stored }]);
    await inTransaction((tx) => removeReplacedAnonymousGroups(tx, changed));
    expect(await listAnonymousGroups(chat.runtime.database, [groupId])).toEqual([]);
  });
});
