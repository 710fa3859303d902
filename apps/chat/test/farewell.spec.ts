import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoPassword } from '../src/modules/demo/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';
import { openQueue } from './event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let folder: string;
let iago: DemoUser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-farewell-'));
  cluster = await chatCluster();
  chat = await cluster.start({ MAIL_FOLDER: folder });
  iago = await signIn(chat, 'iago');
});
afterAll(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true });
});

describe('DELETE /users/{user_id}', () => {
  it('mails the person what an administrator says, where one is to be told', async () => {
    const [hamlet, cordelia] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'cordelia')]);
    await iago.client.delete(`/api/v1/users/${cordelia.id}`);
    await iago.client.delete(`/api/v1/users/${hamlet.id}`, {
      form: { deactivation_notification_comment: 'The rest is silence.' },
    });
    await expect.poll(() => readdir(folder), { timeout: 10_000 }).toHaveLength(1);
    const [name = ''] = await readdir(folder);
    const mail = await readFile(join(folder, name), 'utf8');
    expect(mail).toContain(`To: ${hamlet.email}\r\n`);
    expect(mail).toContain('Iago says:\r\n\r\nThe rest is silence.');
  });

  it('deletes the profile where that is asked for, for good', async () => {
    const othello = await signIn(chat, 'othello');
    const queue = await openQueue(chat, iago, ['realm_user']);
    const path = `/api/v1/users/${othello.id}`;
    const form = { actions: '{"delete_profile": true}' };
    expect((await iago.client.delete(path, { form })).status).toBe(200);
    expect(await queue.read()).toEqual([
      { type: 'realm_user', op: 'update', person: { user_id: othello.id, is_active: false } },
      { type: 'realm_user', op: 'update', person: { user_id: othello.id, full_name: 'Deleted user' } },
    ]);
    const shown = await iago.client.get<{ user: object }>(path);
    expect(shown.body.user).toMatchObject({ is_deleted: true, is_active: false, full_name: 'Deleted user' });
    expect((await iago.client.post(`${path}/reactivate`)).body).toMatchObject({
      msg: 'Cannot reactivate a deleted user',
    });
    const username = othello.email;
    const key = await chat.client.post('/api/v1/fetch_api_key', { form: { username, password: demoPassword } });
    expect(key.status).toBe(401);
  });

  it.each(['{"unheard_of": true}', '{"delete_profile": 1}', '[]'])('refuses the actions %s', async (actions) => {
    const zoe = await signIn(chat, 'ZOE');
    const { body } = await iago.client.delete(`/api/v1/users/${zoe.id}`, { form: { actions } });
    expect(body).toMatchObject({ code: 'BAD_REQUEST' });
  });
});
