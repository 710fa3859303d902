import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let other: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let cordelia: DemoUser;

type Json = Record<string, unknown>;

beforeAll(async () => {
  cluster = await chatCluster();
  [chat, other] = [await cluster.start(), await cluster.start()];
  [hamlet, iago, cordelia] = await Promise.all([
    signIn(chat, 'hamlet'),
    signIn(chat, 'iago'),
    signIn(chat, 'cordelia'),
  ]);
});
afterAll(() => cluster.stop());

const mute = async (user: DemoUser, id: number) => {
  return (await user.client.post<Json>(`/api/v1/users/me/muted_users/${id}`)).body['msg'];
};
const unmute = async (user: DemoUser, id: number) => {
  return (await user.client.delete<Json>(`/api/v1/users/me/muted_users/${id}`)).body['msg'];
};
async function flagsOf(user: DemoUser, id: number): Promise<unknown> {
  return (await user.client.get<{ message: Json }>(`/api/v1/messages/${id}`)).body.message['flags'];
}
const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
async function fetchSnapshotPart(user: DemoUser, type: string): Promise<Json> {
  const form = { fetch_event_types: JSON.stringify([type]), event_types: '[]' };
  return (await user.client.post<Json>('/api/v1/register', { form })).body;
}

describe('POST /users/me/muted_users/{id}', () => {
  it('shows the muted user only to the muting user, until the unmuting', async () => {
    const [own, theirs] = await Promise.all([
      openTestEventQueue(chat, cordelia, ['muted_users']),
      openTestEventQueue(chat, hamlet, ['muted_users']),
    ]);
    expect(await mute(cordelia, hamlet.id)).toBe('');
    expect(await mute(cordelia, hamlet.id)).toBe('User already muted');
    const muted = [{ id: hamlet.id, timestamp: expect.any(Number) }];
    expect((await fetchSnapshotPart(cordelia, 'muted_users'))['muted_users']).toEqual(muted);
    expect(await unmute(cordelia, hamlet.id)).toBe('');
    expect(await unmute(cordelia, hamlet.id)).toBe('User is not muted');
    expect(await own.read()).toEqual([
      { type: 'muted_users', muted_users: muted },
      { type: 'muted_users', muted_users: [] },
    ]);
    expect(await theirs.read()).toEqual([]);
  });

  it('marks existing and future messages of the muted user as read', async () => {
    const before = await send(iago, { content: 'before' });
    const queue = await openTestEventQueue(chat, cordelia, ['update_message_flags', 'message']);
    await mute(cordelia, iago.id);
    const elsewhere = await signIn(other, 'iago');
    const flagsOfNext = async () => flagsOf(cordelia, await send(elsewhere, { content: 'does it know?' }));
    // The other process is notified through Redis, with a small delay.
    await waitFor(async () => String(await flagsOfNext()).includes('read'));
    const after = await send(elsewhere, { content: 'after' });
    const direct = await send(elsewhere, { type: 'direct', to: JSON.stringify([cordelia.id]), content: 'psst' });
    for (const id of [before, after, direct]) expect(await flagsOf(cordelia, id)).toContain('read');
    const [read, ...messages] = await queue.read();
    expect(read).toMatchObject({ type: 'update_message_flags', op: 'add', flag: 'read' });
    expect(read?.['messages']).toContain(before);
    const told = messages.filter(({ message }) => [after, direct].includes(Number(member(message, 'id'))));
    expect(told.map(({ flags }) => flags)).toEqual([['read'], ['read']]);
    await unmute(cordelia, iago.id);
    await waitFor(async () => !String(await flagsOfNext()).includes('read'));
  });

  it('rejects muting oneself and unknown users', async () => {
    expect(await mute(cordelia, cordelia.id)).toBe('Cannot mute self');
    expect(await mute(cordelia, 999_999)).toBe('No such user');
    expect(await unmute(cordelia, 999_999)).toBe('No such user');
  });
});
