import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
let polonius: DemoUser;
const systemGroups = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [desdemona, iago, hamlet, cordelia, polonius] = await Promise.all([
    signIn(chat, 'desdemona'),
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
    signIn(chat, 'polonius'),
  ]);
  for (const { id, name } of await listGroups(hamlet)) systemGroups.set(name, id);
});
afterAll(() => cluster.stop());

interface Group {
  id: number;
  name: string;
  members: number[];
  direct_subgroup_ids: number[];
  [field: string]: unknown;
}

interface ResponseBody {
  result: string;
  msg: string;
  code?: string;
  group_id: number;
  members: number[];
  subgroups: number[];
  is_user_group_member: boolean;
  user_groups: Group[];
  objections: unknown[];
}

const success = { result: 'success', msg: '' };
const insufficientPermission = { code: 'BAD_REQUEST', msg: 'Insufficient permission' };

type Form = Record<string, unknown>;

/** Encodes the values of a form for a request. Strings remain unchanged, and all other values become JSON texts. */
const encodeForm = (form: Form) =>
  Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

async function post(actor: DemoUser, path: string, form: Form = {}): Promise<ResponseBody> {
  return (await actor.client.post<ResponseBody>(`/api/v1/user_groups/${path}`, { form: encodeForm(form) })).body;
}
async function patch(actor: DemoUser, id: number, form: Form): Promise<ResponseBody> {
  return (await actor.client.patch<ResponseBody>(`/api/v1/user_groups/${id}`, { form: encodeForm(form) })).body;
}
async function get(actor: DemoUser, path: string, query: Record<string, boolean> = {}): Promise<ResponseBody> {
  return (await actor.client.get<ResponseBody>(`/api/v1/user_groups/${path}`, { query })).body;
}
async function listGroups(actor: DemoUser, query: Record<string, boolean> = {}): Promise<Group[]> {
  return (await actor.client.get<ResponseBody>('/api/v1/user_groups', { query })).body.user_groups;
}

let made = 0;
async function addGroup(actor: DemoUser, form: Form = {}): Promise<number> {
  made += 1;
  const body = await post(actor, 'create', { name: `group ${made}`, description: '', members: [], ...form });
  expect(body).toMatchObject(success);
  return body.group_id;
}
async function groupOf(id: number): Promise<Group | undefined> {
  return (await listGroups(hamlet, { include_deactivated_groups: true })).find((group) => group.id === id);
}
const system = (name: string): number => systemGroups.get(name) ?? 0;

describe('POST /user_groups/create', () => {
  it('creates a group that its creator may manage, and emits the group to all users', async () => {
    const queue = await openTestEventQueue(chat, polonius, ['user_group']);
    const inner = await addGroup(hamlet);
    await queue.read();
    const id = await addGroup(hamlet, {
      name: ' birds ',
      description: 'Those who sing',
      members: [cordelia.id, hamlet.id],
      subgroups: [inner],
      can_mention_group: system('role:moderators'),
    });
    const creator = { direct_members: [hamlet.id], direct_subgroups: [] };
    const group = {
      id,
      name: 'birds',
      description: 'Those who sing',
      creator_id: hamlet.id,
      members: [hamlet.id, cordelia.id].toSorted((a, b) => a - b),
      direct_subgroup_ids: [inner],
      is_system_group: false,
      deactivated: false,
      can_manage_group: creator,
      can_add_members_group: creator,
      can_remove_members_group: system('role:nobody'),
      can_join_group: system('role:nobody'),
      can_leave_group: system('role:everyone'),
      can_mention_group: system('role:moderators'),
    };
    expect(await groupOf(id)).toMatchObject(group);
    expect(await queue.read()).toEqual([
      { type: 'user_group', op: 'add', group: { ...group, date_created: expect.any(Number) } },
    ]);
  });

  it.each([
    ['', "User group name can't be empty!"],
    ['x'.repeat(101), 'User group name cannot exceed 100 characters.'],
    ['role:kings', "User group name cannot start with 'role:'."],
    ['@kings', "User group name cannot start with '@'."],
  ])('rejects the group name %j', async (name, msg) => {
    expect(await post(hamlet, 'create', { name, description: '', members: [] })).toMatchObject({
      code: 'BAD_REQUEST',
      msg,
    });
  });

  it('creates one group for concurrent requests with the same name', async () => {
    const form = { name: 'twins', description: '', members: [] };
    const responses = await Promise.all([0, 1, 2].map(() => post(hamlet, 'create', form)));
    expect(responses.filter(({ result }) => result === 'success')).toHaveLength(1);
    expect(responses.find(({ result }) => result === 'error')?.msg).toBe("User group 'twins' already exists.");
  });

  it('requires the permission to create groups and existing members', async () => {
    const form = { name: 'no', description: '', members: [] };
    expect(await post(polonius, 'create', form)).toMatchObject(insufficientPermission);
    expect(await post(hamlet, 'create', { ...form, members: [999_999] })).toMatchObject({
      msg: 'Invalid user ID 999999',
    });
    expect(await post(hamlet, 'create', { ...form, subgroups: [999_999] })).toMatchObject({
      msg: 'Invalid user group',
    });
    expect(await post(hamlet, 'create', { name: 'x', description: '' })).toMatchObject({
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'members',
    });
  });
});

describe('GET /user_groups, /user_groups/{id}/members and /user_groups/{id}/subgroups', () => {
  it('return all members including those of subgroups, or only direct members if requested', async () => {
    const inner = await addGroup(hamlet, { members: [cordelia.id] });
    const middle = await addGroup(hamlet, { subgroups: [inner] });
    const outer = await addGroup(hamlet, { members: [hamlet.id], subgroups: [middle] });
    const everyone = [hamlet.id, cordelia.id].toSorted((a, b) => a - b);
    expect((await get(hamlet, `${outer}/members`)).members).toEqual(everyone);
    expect((await get(hamlet, `${outer}/members`, { direct_member_only: true })).members).toEqual([hamlet.id]);
    expect((await get(hamlet, `${outer}/subgroups`)).subgroups).toEqual([inner, middle]);
    expect((await get(hamlet, `${outer}/subgroups`, { direct_subgroup_only: true })).subgroups).toEqual([middle]);
    const path = `${outer}/members/${cordelia.id}`;
    expect((await get(hamlet, path)).is_user_group_member).toBe(true);
    expect((await get(hamlet, path, { direct_member_only: true })).is_user_group_member).toBe(false);
  });

  it('reject guests and unknown groups', async () => {
    const refused = { code: 'BAD_REQUEST', msg: 'Not allowed for guest users' };
    const id = await addGroup(hamlet);
    expect((await polonius.client.get<ResponseBody>('/api/v1/user_groups')).body).toMatchObject(refused);
    expect(await get(polonius, `${id}/members`)).toMatchObject(refused);
    expect(await get(polonius, `${id}/subgroups`)).toMatchObject(refused);
    expect(await get(hamlet, '999999/members')).toMatchObject({ msg: 'Invalid user group' });
    expect(await get(hamlet, `${id}/members/999999`)).toMatchObject({ msg: 'No such user' });
  });
});

describe('PATCH /user_groups/{id}', () => {
  it('stores and emits only changed properties', async () => {
    const id = await addGroup(hamlet, { name: 'before' });
    const queue = await openTestEventQueue(chat, polonius, ['user_group']);
    const anyone = { direct_members: [cordelia.id], direct_subgroups: [system('role:moderators')] };
    const form = { name: 'after', description: '', can_join_group: { new: anyone, old: system('role:nobody') } };
    expect(await patch(hamlet, id, form)).toMatchObject(success);
    expect(await queue.read()).toEqual([
      { type: 'user_group', op: 'update', group_id: id, data: { name: 'after', can_join_group: anyone } },
    ]);
    expect(await groupOf(id)).toMatchObject({ name: 'after', can_join_group: anyone });
    expect(await patch(hamlet, id, { ...form, can_join_group: { new: anyone } })).toMatchObject(success);
    expect(await queue.read()).toEqual([]);
    expect(await patch(hamlet, id, form)).toMatchObject({ code: 'EXPECTATION_MISMATCH' });
  });

  it('requires permission to manage the group or all groups', async () => {
    const id = await addGroup(hamlet);
    expect(await patch(cordelia, id, { description: 'no' })).toMatchObject(insufficientPermission);
    expect(await patch(iago, id, { description: 'no' })).toMatchObject(insufficientPermission);
    expect(await patch(desdemona, id, { description: 'yes' })).toMatchObject(success);
    expect(await patch(desdemona, system('role:members'), { description: 'no' })).toMatchObject(insufficientPermission);
    expect(await patch(hamlet, id, {})).toMatchObject({ code: 'BAD_REQUEST', msg: 'No new data supplied' });
    const other = await addGroup(hamlet, { name: 'taken' });
    expect(await patch(hamlet, id, { name: 'taken' })).toMatchObject({ msg: "User group 'taken' already exists." });
    expect(await patch(hamlet, other, { name: 'taken' })).toMatchObject(success);
  });
});

describe('POST /user_groups/{id}/deactivate', () => {
  it('removes the group for clients that cannot show deactivated groups until the group is reactivated', async () => {
    const id = await addGroup(hamlet, { members: [cordelia.id] });
    const older = await openTestEventQueue(chat, polonius, ['user_group']);
    const capabilities = JSON.stringify({ include_deactivated_groups: true });
    const newer = await openTestEventQueue(chat, polonius, ['user_group'], { client_capabilities: capabilities });
    expect(await post(cordelia, `${id}/deactivate`)).toMatchObject(insufficientPermission);
    expect(await post(hamlet, `${id}/deactivate`)).toMatchObject(success);
    expect(await older.read()).toEqual([{ type: 'user_group', op: 'remove', group_id: id }]);
    const update = { type: 'user_group', op: 'update', group_id: id };
    expect(await newer.read()).toEqual([{ ...update, data: { deactivated: true } }]);
    expect((await listGroups(hamlet)).some((group) => group.id === id)).toBe(false);
    expect((await groupOf(id))?.['deactivated']).toBe(true);
    expect(await post(hamlet, `${id}/members`, { add: [iago.id] })).toMatchObject(success);
    const added = { type: 'user_group', op: 'add_members', group_id: id, user_ids: [iago.id] };
    expect([await older.read(), await newer.read()]).toEqual([[], [added]]);
    expect(await patch(hamlet, id, { deactivated: false })).toMatchObject(success);
    expect(await older.read()).toMatchObject([
      { type: 'user_group', op: 'add', group: { id, members: [iago.id, cordelia.id] } },
    ]);
    expect(await newer.read()).toEqual([{ ...update, data: { deactivated: false } }]);
  });

  it('rejects the deactivation while other groups, permissions or channels use the group, and lists these uses', async () => {
    const id = await addGroup(hamlet);
    const outer = await addGroup(hamlet, { subgroups: [id] });
    const holder = await addGroup(hamlet, { can_join_group: { direct_members: [], direct_subgroups: [id] } });
    const mixed = await addGroup(hamlet, { can_mention_group: { direct_members: [iago.id], direct_subgroups: [id] } });
    await chat.runtime.database.query(
      "UPDATE realm_permissions SET group_id = $1 WHERE setting = 'can_add_custom_emoji_group'",
      [id],
    );
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      "UPDATE channels SET can_send_message_group_id = $1 WHERE name = 'Verona' RETURNING id",
      [id],
    );
    const response = await post(hamlet, `${id}/deactivate`);
    expect(response.code).toBe('CANNOT_DEACTIVATE_GROUP_IN_USE');
    expect(response.objections).toHaveLength(5);
    expect(response.objections).toEqual(
      expect.arrayContaining([
        { type: 'subgroup', supergroup_ids: [outer] },
        { type: 'realm', settings: ['can_add_custom_emoji_group'] },
        { type: 'channel', channel_id: rows[0]?.id, settings: ['can_send_message_group'] },
        { type: 'user_group', group_id: holder, settings: ['can_join_group'] },
        { type: 'user_group', group_id: mixed, settings: ['can_mention_group'] },
      ]),
    );
  });
});

describe('POST /user_groups/{id}/members', () => {
  it('emits added and removed members to all users', async () => {
    const id = await addGroup(hamlet, { members: [iago.id] });
    const queue = await openTestEventQueue(chat, polonius, ['user_group']);
    expect(await post(desdemona, `${id}/members`, { add: [cordelia.id], delete: [iago.id] })).toMatchObject(success);
    const event = { type: 'user_group', group_id: id };
    expect(await queue.read()).toEqual([
      { ...event, op: 'add_members', user_ids: [cordelia.id] },
      { ...event, op: 'remove_members', user_ids: [iago.id] },
    ]);
    expect((await groupOf(id))?.members).toEqual([cordelia.id]);
  });

  it('applies all changes or none', async () => {
    const id = await addGroup(hamlet, { members: [iago.id] });
    const path = `${id}/members`;
    expect(await post(desdemona, path, { add: [cordelia.id, iago.id] })).toMatchObject({
      msg: `User ${iago.id} is already a member of this group`,
    });
    expect(await post(desdemona, path, { add: [cordelia.id], delete: [hamlet.id] })).toMatchObject({
      msg: `There is no member '${hamlet.id}' in this user group`,
    });
    expect(await post(desdemona, path, { add: [999_999] })).toMatchObject({ msg: 'Invalid user ID 999999' });
    expect(await post(desdemona, path)).toMatchObject({
      msg: 'Nothing to do. Specify at least one of "add" or "delete".',
    });
    expect((await groupOf(id))?.members).toEqual([iago.id]);
  });

  it('lets users join and leave if the group permits it', async () => {
    const open = await addGroup(hamlet, { can_join_group: system('role:members') });
    expect(await post(cordelia, `${open}/members`, { add: [iago.id] })).toMatchObject(insufficientPermission);
    expect(await post(cordelia, `${open}/members`, { add: [cordelia.id] })).toMatchObject(success);
    expect(await post(cordelia, `${open}/members`, { delete: [cordelia.id] })).toMatchObject(success);
    const closed = await addGroup(hamlet, { members: [cordelia.id], can_leave_group: system('role:nobody') });
    expect(await post(cordelia, `${closed}/members`, { delete: [cordelia.id] })).toMatchObject(insufficientPermission);
    expect(await post(iago, `${closed}/members`, { add: [iago.id] })).toMatchObject(insufficientPermission);
  });

  it('ends the event queues of added users when the group gives access to private channels', async () => {
    const id = await addGroup(hamlet);
    await chat.runtime.database.query("UPDATE channels SET can_subscribe_group_id = $1 WHERE name = 'core team'", [id]);
    const queue = await openTestEventQueue(chat, cordelia, ['stream']);
    expect(await post(hamlet, `${id}/members`, { add: [cordelia.id] })).toMatchObject(success);
    expect((await queue.poll()).code).toBe('BAD_EVENT_QUEUE_ID');
  });
});

describe('POST /user_groups/{id}/subgroups', () => {
  it('emits added and removed subgroups to all users', async () => {
    const [id, inner] = [await addGroup(hamlet), await addGroup(hamlet)];
    const queue = await openTestEventQueue(chat, polonius, ['user_group']);
    expect(await post(hamlet, `${id}/subgroups`, { add: [inner] })).toMatchObject(success);
    expect(await post(hamlet, `${id}/subgroups`, { add: [inner] })).toMatchObject({
      msg: `User group ${inner} is already a subgroup of this group`,
    });
    expect(await post(hamlet, `${id}/subgroups`, { delete: [inner] })).toMatchObject(success);
    expect(await post(hamlet, `${id}/subgroups`, { delete: [inner] })).toMatchObject({
      msg: `User group ${inner} is not a subgroup of this group`,
    });
    const event = { type: 'user_group', group_id: id, direct_subgroup_ids: [inner] };
    expect(await queue.read()).toEqual([
      { ...event, op: 'add_subgroups' },
      { ...event, op: 'remove_subgroups' },
    ]);
  });

  it('rejects cycles of any length, also by concurrent requests', async () => {
    const ids = [await addGroup(hamlet), await addGroup(hamlet), await addGroup(hamlet), await addGroup(hamlet)];
    const [first = 0, second = 0] = ids;
    expect(await post(hamlet, `${first}/subgroups`, { add: [first] })).toMatchObject({
      msg: `User group ${first} is already a supergroup of this group`,
    });
    const responses = await Promise.all(
      ids.map((id, index) => post(hamlet, `${id}/subgroups`, { add: [ids[(index + 1) % ids.length]] })),
    );
    expect(responses.filter(({ result }) => result === 'success')).toHaveLength(3);
    expect(responses.find(({ result }) => result === 'error')?.msg).toMatch(/is already a supergroup of this group$/);
    expect((await get(hamlet, `${first}/subgroups`)).subgroups).not.toContain(first);
    expect((await get(hamlet, `${second}/subgroups`)).subgroups).not.toContain(second);
  });

  it('requires permission to change the members of the group', async () => {
    const [id, inner] = [await addGroup(hamlet), await addGroup(hamlet)];
    expect(await post(cordelia, `${id}/subgroups`, { add: [inner] })).toMatchObject(insufficientPermission);
    expect(await post(cordelia, `${id}/subgroups`, { delete: [inner] })).toMatchObject(insufficientPermission);
    expect(await post(polonius, `${id}/subgroups`, { add: [inner] })).toMatchObject({
      msg: 'Not allowed for guest users',
    });
  });
});
