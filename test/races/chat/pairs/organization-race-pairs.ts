import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { waitFor } from '@switchboard/testing';
import { digestInvitationToken } from '../../../../apps/chat/src/features/invitations/invitation-tokens.js';
import { multipart, picture } from '../../../../apps/chat/test/upload-forms.js';
import { pause } from '../../../faults/abortable-pause.js';
import type { RacePair, RaceResponse } from '../../race-pair.js';
import type { ChatWorld, Person } from '../race-test-chat-data.js';

type ChatRacePair = RacePair<ChatWorld>;
type Json = Record<string, unknown>;

const read = (body: unknown, name: string): unknown => (body as Json | undefined)?.[name];

const listRaces: readonly ChatRacePair[] = [
  {
    slice: 'playgrounds',
    title: 'a playground is deleted while an equal one is added',
    deletes: true,
    async arrange(world) {
      const name = world.newName('playground');
      const form = { name, pygments_language: 'Python', url_template: 'https://x.test/{code}' };
      const { id } = await world.create('iago', 'post', 'realm/playgrounds', form);
      return {
        writes: [
          () => world.write('iago', 'delete', `realm/playgrounds/${String(id)}`),
          () => world.write('desdemona', 'post', 'realm/playgrounds', form),
        ],
        async check([deletion, addition]) {
          const rows = await world.rows<{ id: number }>('SELECT id FROM realm_playgrounds WHERE name = $1', [name]);
          for (const row of rows) await world.create('iago', 'delete', `realm/playgrounds/${row.id}`);
          const expected = addition.status === 200 ? 1 : 0;
          const isRight = deletion.status === 200 && rows.length === expected;
          return isRight ? [] : [`${deletion.status} and ${addition.status}, but ${rows.length} playgrounds`];
        },
      };
    },
  },
  {
    slice: 'default channel groups',
    title: 'a channel group is deleted while a channel is added to it',
    deletes: true,
    async arrange(world) {
      const { id: groupId } = await newChannelGroup(world, []);
      const { name } = await world.sharedChannel(['iago', 'hamlet']);
      return {
        writes: [
          () => world.write('iago', 'delete', `default_stream_groups/${groupId}`),
          () => addToGroup(world, groupId, name),
        ],
        check: async ([deletion]) => [
          ...(deletion.status === 200 ? [] : [`the deletion got ${deletion.status}`]),
          ...(
            await world.rows<{ channel_id: number }>(
              'SELECT channel_id FROM default_channel_group_channels WHERE group_id = $1',
              [groupId],
            )
          ).map(({ channel_id: id }) => `the deleted group contains channel ${id}`),
        ],
      };
    },
  },
  {
    slice: 'default channel groups',
    title: 'a channel is archived while it is added to a channel group',
    deletes: true,
    async arrange(world) {
      const { id: groupId } = await newChannelGroup(world, []);
      const { id, name } = await world.newChannel(['iago']);
      return {
        writes: [() => world.write('iago', 'delete', `streams/${id}`), () => addToGroup(world, groupId, name)],
        async check() {
          const rows = await world.rows('SELECT FROM default_channel_group_channels WHERE channel_id = $1', [id]);
          await world.create('iago', 'delete', `default_stream_groups/${groupId}`);
          return rows.length === 0 ? [] : ['the group contains an archived channel'];
        },
      };
    },
  },
  {
    slice: 'default channel groups',
    title: 'a channel group is deleted with which a new user joins',
    deletes: true,
    async arrange(world, random) {
      const channel = await world.newChannel(['iago']);
      const group = await newChannelGroup(world, [channel.name]);
      const { address, join } = await inviteNewUser(world);
      // Most of a request to join is the hashing of the password, so the deletion is sent around its end.
      const began = performance.now();
      await join('a group that does not exist');
      const deletionDelayMs = random.integer(0, Math.ceil(1.5 * (performance.now() - began)));
      return {
        writes: [
          () => join(group.name),
          async () => {
            await pause(deletionDelayMs);
            return world.write('iago', 'delete', `default_stream_groups/${group.id}`);
          },
        ],
        async check([joining, deletion]) {
          const accounts = await world.rows<{ isSubscribed: boolean }>(
            `SELECT EXISTS (SELECT FROM subscriptions WHERE user_id = users.id AND channel_id = $2) AS "isSubscribed"
             FROM users WHERE delivery_email = $1`,
            [address, channel.id],
          );
          const isJoined = accounts.length === 1 && accounts[0]!.isSubscribed;
          const isRight = joining.status === 303 ? isJoined : joining.status === 422 && accounts.length === 0;
          return [
            ...(deletion.status === 200 ? [] : [`the deletion got ${deletion.status}`]),
            ...(isRight ? [] : [`the new user got ${joining.status}, the accounts are ${JSON.stringify(accounts)}`]),
          ];
        },
      };
    },
  },
];

async function newChannelGroup(
  world: ChatWorld,
  channelNames: readonly string[],
): Promise<{ readonly id: number; readonly name: string }> {
  const name = world.newName('channels');
  const form = { group_name: name, description: '', stream_names: channelNames };
  await world.create('iago', 'post', 'default_stream_groups/create', form);
  const [row] = await world.rows<{ id: number }>('SELECT id FROM default_channel_groups WHERE name = $1', [name]);
  return { id: Number(row?.id), name };
}

/** Invites a new user. Returns the user's email address, and a function that joins with a default channel group. */
async function inviteNewUser(
  world: ChatWorld,
): Promise<{ readonly address: string; readonly join: (groupName: string) => Promise<RaceResponse> }> {
  const fullName = world.newName('member');
  const address = `${fullName.replaceAll(' ', '')}@example.com`;
  await world.create('iago', 'post', 'invites', { invitee_emails: address, stream_ids: [] });
  const token = randomBytes(20).toString('hex');
  // The token of the link is in a mail.
  const link = 'UPDATE invitations SET token_digest = $1 WHERE email = $2';
  await world.rows(link, [digestInvitationToken(token), address]);
  const csrfmiddlewaretoken = 'a'.repeat(48);
  const headers = { cookie: `csrftoken=${csrfmiddlewaretoken}` };
  const form = { full_name: fullName, password: 'a good password', csrfmiddlewaretoken };
  const join = (groupName: string): Promise<RaceResponse> =>
    world.send(null, 'post', `/join/${token}/`, { form: { ...form, default_stream_group: groupName }, headers });
  return { address, join };
}

const addToGroup = (world: ChatWorld, groupId: number, name: string): Promise<RaceResponse> =>
  world.write('desdemona', 'patch', `default_stream_groups/${groupId}/streams`, { op: 'add', stream_names: [name] });

const iconRace: ChatRacePair = {
  slice: 'organization icon',
  title: 'the icon of an organization is set twice',
  deletes: true,
  async arrange(world) {
    const content = await picture(40, 40);
    const set = (person: Person) => () =>
      world.send(person, 'post', '/api/v1/realm/icon', multipart([{ name: 'i.png', content }]));
    return {
      writes: [set('iago'), set('desdemona')],
      async check(responses) {
        const urls = responses.map(({ body }) => String(read(body, 'icon_url')));
        const statuses = await Promise.all(urls.map(async (url) => (await world.send('iago', 'get', url)).status));
        const { body } = await world.write('iago', 'post', 'register', { fetch_event_types: ['realm'] });
        const current = urls.indexOf(String(read(body, 'realm_icon_url')));
        const expected = urls.map((_url, index) => (index === current ? 200 : 404));
        const isRight = current >= 0 && statuses.join() === expected.join();
        return isRight ? [] : [`the icons ${urls.join()} have the statuses ${statuses.join()}, current is ${current}`];
      },
    };
  },
};

/**
 * Creates a public export, and sets its row to the state before its last step. No worker continues the export.
 *
 * @returns the id of the export, and the storage keys of its files
 */
async function newUnfinishedExport(world: ChatWorld): Promise<{ readonly id: number; readonly keys: string[] }> {
  const { id } = await world.create('iago', 'post', 'export/realm');
  const hasSucceeded = 'SELECT FROM realm_exports WHERE id = $1 AND succeeded_at IS NOT NULL';
  await waitFor(async () => (await world.rows(hasSucceeded, [id])).length > 0, { timeoutMs: 60_000 });
  const reset = "succeeded_at = NULL, lease_until = 'infinity', attempts = 0";
  await world.rows(`UPDATE realm_exports SET ${reset} WHERE id = $1`, [id]);
  const parts = 'SELECT key FROM realm_export_parts WHERE export_id = $1';
  const keys = (await world.rows<{ key: string }>(parts, [id])).map(({ key }) => key);
  return { id: Number(id), keys };
}

const exportRace: ChatRacePair = {
  slice: 'exports',
  title: 'an export is deleted while it ends',
  deletes: true,
  async arrange(world) {
    const { id, keys } = await newUnfinishedExport(world);
    const finish = async (): Promise<RaceResponse> => {
      await world.rows('UPDATE realm_exports SET lease_until = now() WHERE id = $1', [id]);
      const waiting = 'SELECT FROM realm_exports WHERE id = $1 AND succeeded_at IS NULL AND failed_at IS NULL';
      await waitFor(async () => (await world.rows(waiting, [id])).length === 0, { timeoutMs: 60_000 });
      return { status: 200, body: null };
    };
    // The deletion is refused until the export has ended.
    const remove = async (): Promise<RaceResponse> => {
      for (;;) {
        const response = await world.write('desdemona', 'delete', `export/realm/${id}`);
        if (read(response.body, 'msg') !== 'Export still in progress') return response;
      }
    };
    return {
      writes: [remove, finish],
      async check([deletion]) {
        const sql = `SELECT deleted_at IS NOT NULL AS deleted, failed_at IS NOT NULL AS failed,
            EXISTS (SELECT FROM realm_export_parts WHERE export_id = e.id) AS "hasParts"
          FROM realm_exports e WHERE id = $1`;
        const [row] = await world.rows<Json>(sql, [id]);
        const left = await world.listStoredFiles(dirname(keys[0] ?? ''));
        const found = { status: deletion.status, ...row, parts: keys.length > 0, left: left.length };
        const expected = { status: 200, deleted: true, failed: false, hasParts: false, parts: true, left: 0 };
        return JSON.stringify(found) === JSON.stringify(expected) ? [] : [`the export is ${JSON.stringify(found)}`];
      },
    };
  },
};

/** Pairs of concurrent writes to lists, icon and exports of the organization, with their allowed results. */
export const organizationPairs: readonly ChatRacePair[] = [...listRaces, iconRace, exportRace];
