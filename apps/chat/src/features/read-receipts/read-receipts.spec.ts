import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
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

const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);

interface ResponseBody {
  msg: string;
}

async function post(user: DemoUser, path: string, form: Record<string, string | number> = {}): Promise<ResponseBody> {
  return (await user.client.post<ResponseBody>(`/api/v1/${path}`, { form })).body;
}

async function set(settings: Record<string, unknown>): Promise<void> {
  await query('UPDATE realms SET settings = settings || $1::jsonb', [JSON.stringify(settings)]);
}

async function setOwn(user: DemoUser, settings: Record<string, unknown>): Promise<void> {
  await query('UPDATE users SET settings = settings || $1::jsonb WHERE id = $2', [JSON.stringify(settings), user.id]);
}

describe('GET /messages/{id}/read_receipts', () => {
  const receipts = async (user: DemoUser, id: number) =>
    (await user.client.get<{ user_ids: number[]; msg: string }>(`/api/v1/messages/${id}/read_receipts`)).body;
  const read = (user: DemoUser, id: number) =>
    post(user, 'messages/flags', { op: 'add', flag: 'read', messages: JSON.stringify([id]) });

  it('lists readers who send read receipts, except the sender of the message', async () => {
    await set({ enable_read_receipts: true });
    const id = await send(hamlet, { read_by_sender: 'true' });
    expect((await receipts(iago, id)).user_ids).toEqual([]);
    await read(cordelia, id);
    await read(iago, id);
    expect((await receipts(hamlet, id)).user_ids).toEqual([iago.id, cordelia.id].toSorted((a, b) => a - b));
    await setOwn(cordelia, { send_read_receipts: false });
    expect((await receipts(hamlet, id)).user_ids).toEqual([iago.id]);
  });

  it('omits users who muted the requester or whom the requester muted', async () => {
    await set({ enable_read_receipts: true });
    await setOwn(cordelia, { send_read_receipts: true });
    const id = await send(hamlet);
    for (const user of [iago, cordelia]) await read(user, id);
    const both = [iago.id, cordelia.id].toSorted((a, b) => a - b);
    expect((await receipts(hamlet, id)).user_ids).toEqual(both);
    await post(hamlet, `users/me/muted_users/${iago.id}`);
    expect((await receipts(hamlet, id)).user_ids).toEqual([cordelia.id]);
    await post(cordelia, `users/me/muted_users/${hamlet.id}`);
    expect((await receipts(hamlet, id)).user_ids).toEqual([]);
    expect((await receipts(iago, id)).user_ids).toEqual(both);
    await hamlet.client.delete(`/api/v1/users/me/muted_users/${iago.id}`);
    await cordelia.client.delete(`/api/v1/users/me/muted_users/${hamlet.id}`);
  });

  it('responds with an error if the organization disables read receipts or the requester cannot read the message', async () => {
    const direct = await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id]) });
    expect((await receipts(cordelia, direct)).msg).toBe('Invalid message(s)');
    await set({ enable_read_receipts: false });
    expect((await receipts(iago, direct)).msg).toBe('Read receipts are disabled in this organization.');
    expect((await receipts(cordelia, direct)).msg).toBe('Invalid message(s)');
  });
});
