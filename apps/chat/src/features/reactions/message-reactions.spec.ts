import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
  ]);
});
afterAll(() => cluster.stop());

interface ResponseBody {
  msg: string;
  code?: string;
}
type Emoji = Record<string, string>;

async function react(user: DemoUser, id: number, form: Emoji): Promise<ResponseBody> {
  return (await user.client.post<ResponseBody>(`/api/v1/messages/${id}/reactions`, { form })).body;
}

async function unreact(user: DemoUser, id: number, form: Emoji): Promise<ResponseBody> {
  return (await user.client.delete<ResponseBody>(`/api/v1/messages/${id}/reactions`, { form })).body;
}

async function reactions(user: DemoUser, id: number): Promise<unknown[]> {
  const { body } = await user.client.get<{ message: { reactions: unknown[] } }>(`/api/v1/messages/${id}`);
  return body.message.reactions;
}

const thumb = { emoji_name: 'thumbs_up', emoji_code: '1f44d', reaction_type: 'unicode_emoji' };

describe('POST /messages/{id}/reactions', () => {
  it('returns reactions in order to all users', async () => {
    const id = await send(hamlet);
    const queue = await openTestEventQueue(chat, cordelia, ['reaction']);
    expect((await react(iago, id, { emoji_name: 'octopus' })).msg).toBe('');
    expect((await react(hamlet, id, thumb)).msg).toBe('');
    const expected = [
      { emoji_name: 'octopus', emoji_code: '1f419', reaction_type: 'unicode_emoji', user_id: iago.id },
      { ...thumb, user_id: hamlet.id },
    ];
    expect(await reactions(cordelia, id)).toEqual(expected);
    expect(await queue.read()).toMatchObject(
      expected.map((one) => ({ type: 'reaction', op: 'add', message_id: id, ...one })),
    );
  });

  it('emits the user with the address that each reader can see', async () => {
    const id = await send(hamlet);
    await chat.runtime.database.query('UPDATE users SET email_address_visibility = 3 WHERE id = $1', [iago.id]);
    const queues = await Promise.all([iago, cordelia].map((user) => openTestEventQueue(chat, user, ['reaction'])));
    await react(iago, id, thumb);
    await unreact(iago, id, thumb);
    const [own, others] = await Promise.all(queues.map((queue) => queue.read()));
    const user = { user_id: iago.id, full_name: 'Iago' };
    expect(own).toMatchObject(['add', 'remove'].map((op) => ({ op, user: { ...user, email: iago.email } })));
    const shown = { ...user, email: expect.stringMatching(`^user${iago.id}@`) };
    expect(others).toMatchObject(['add', 'remove'].map((op) => ({ op, user: shown })));
    await chat.runtime.database.query('UPDATE users SET email_address_visibility = 1 WHERE id = $1', [iago.id]);
  });

  it('stores the emoji name of the first reaction when another user reacts with a different name for the emoji', async () => {
    const id = await send(hamlet);
    await react(iago, id, { emoji_name: '+1' });
    await react(hamlet, id, thumb);
    expect(await reactions(iago, id)).toMatchObject([{ emoji_name: '+1' }, { emoji_name: '+1', user_id: hamlet.id }]);
  });

  it('stores a reaction once when a user sends concurrent requests', async () => {
    const id = await send(hamlet);
    const responses = await Promise.all(['+1', 'thumbs_up', '+1'].map((name) => react(iago, id, { emoji_name: name })));
    expect(responses.map(({ code }) => code ?? 'success').toSorted()).toEqual([
      'REACTION_ALREADY_EXISTS',
      'REACTION_ALREADY_EXISTS',
      'success',
    ]);
    expect(await reactions(iago, id)).toHaveLength(1);
  });

  it('adds the message to the history of a user who never received the message', async () => {
    const id = await send(hamlet, { to: 'Denmark' });
    await react(cordelia, id, thumb);
    const narrow = JSON.stringify([{ operator: 'has', operand: 'reaction' }]);
    const { body } = await cordelia.client.get<{ messages: { id: number; flags: string[] }[] }>('/api/v1/messages', {
      query: { anchor: 'newest', num_before: 1, num_after: 0, narrow },
    });
    expect(body.messages).toMatchObject([{ id, flags: ['read', 'historical'] }]);
  });

  it.each([
    ['an unknown emoji name', { emoji_name: 'no_such' }, "Emoji 'no_such' does not exist"],
    ['an unknown emoji code', { ...thumb, emoji_code: 'zzz' }, 'Invalid emoji code.'],
    ['the name of another emoji', { ...thumb, emoji_name: 'octopus' }, 'Invalid emoji name.'],
    ['a name with spaces', { ...thumb, emoji_name: 'a b' }, 'Invalid emoji name.'],
    [
      'a custom emoji that does not exist',
      { ...thumb, emoji_code: '99', reaction_type: 'realm_emoji' },
      'Invalid custom emoji.',
    ],
    ['an unknown type', { ...thumb, reaction_type: 'sticker' }, 'Invalid emoji type.'],
  ])('rejects an invalid reaction: %s', async (_name, form, msg) => {
    expect(await react(iago, await send(hamlet), form)).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it("stores no flags of a message that is concurrently deleted or moved out of the user's access", async () => {
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      "SELECT id FROM channels WHERE name = 'core team'",
    );
    const ids = await Promise.all(Array.from({ length: 12 }, () => send(hamlet, { to: 'Denmark' })));
    await Promise.all(
      ids.flatMap((id, index) => [
        index % 3 === 0
          ? iago.client.delete(`/api/v1/messages/${id}`)
          : hamlet.client.patch(`/api/v1/messages/${id}`, { form: { stream_id: rows[0]?.id ?? 0 } }),
        react(cordelia, id, { emoji_name: 'octopus' }),
      ]),
    );
    const left = await chat.runtime.database.query(
      'SELECT 1 FROM user_messages WHERE user_id = $1 AND message_id = ANY($2)',
      [cordelia.id, ids],
    );
    expect(left.rows).toEqual([]);
  });

  it('accepts the special emoji `zulip` with both names of its reaction type', async () => {
    const id = await send(hamlet);
    const form = { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'service_extra_emoji' };
    expect((await react(iago, id, form)).msg).toBe('');
    expect(await reactions(iago, id)).toMatchObject([{ reaction_type: 'zulip_extra_emoji' }]);
    expect((await unreact(iago, id, { ...form, reaction_type: 'zulip_extra_emoji' })).msg).toBe('');
  });

  it('responds for a message that the user cannot read as for a nonexistent message', async () => {
    const direct = await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id]) });
    for (const id of [direct, 999_999_999]) {
      expect((await react(cordelia, id, thumb)).msg).toBe('Invalid message(s)');
      expect((await unreact(cordelia, id, thumb)).msg).toBe('Invalid message(s)');
    }
  });
});

describe('DELETE /messages/{id}/reactions', () => {
  it.each([
    ['its name', { emoji_name: '+1' }],
    ['another of its names', { emoji_name: 'thumbs_up' }],
    ['its code', { emoji_code: '1f44d' }],
    ['all of it', { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' }],
  ])('finds the reaction by %s', async (_name, form) => {
    const id = await send(hamlet);
    await react(iago, id, { emoji_name: '+1' });
    await react(hamlet, id, { emoji_name: '+1' });
    const queue = await openTestEventQueue(chat, cordelia, ['reaction']);
    expect((await unreact(iago, id, form)).msg).toBe('');
    expect(await reactions(iago, id)).toMatchObject([{ user_id: hamlet.id }]);
    expect(await queue.read()).toMatchObject([
      {
        type: 'reaction',
        op: 'remove',
        message_id: id,
        user_id: iago.id,
        emoji_name: '+1',
        emoji_code: '1f44d',
        reaction_type: 'unicode_emoji',
      },
    ]);
  });

  it.each([
    ['one that is not there', { emoji_name: 'octopus' }, 'REACTION_DOES_NOT_EXIST', "Reaction doesn't exist."],
    ["another's", thumb, 'REACTION_DOES_NOT_EXIST', "Reaction doesn't exist."],
    ['an invalid code', { ...thumb, emoji_code: 'zzz' }, 'BAD_REQUEST', 'Invalid emoji code.'],
    ['a name of no emoji', { emoji_name: 'no_such' }, 'BAD_REQUEST', "Emoji 'no_such' does not exist"],
    ['nothing in particular', {}, 'BAD_REQUEST', 'At least one of emoji_name and emoji_code is required'],
  ])('rejects an invalid removal: %s', async (_name, form, code, msg) => {
    const id = await send(hamlet);
    await react(hamlet, id, { emoji_name: '+1' });
    expect(await unreact(iago, id, form)).toMatchObject({ code, msg });
  });
});
