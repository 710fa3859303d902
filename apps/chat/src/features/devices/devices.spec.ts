import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
});
afterAll(() => cluster.stop());

it('POST /register_client_device and /remove_client_device emit events only to the clients of the owner', async () => {
  const [hamlet, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
  const [own, others] = await Promise.all([
    openTestEventQueue(chat, hamlet, ['device']),
    openTestEventQueue(chat, iago, ['device']),
  ]);
  const { body } = await hamlet.client.post<{ device_id: number }>('/api/v1/register_client_device');
  const id = body.device_id;
  const devices = async () => {
    const form = { fetch_event_types: '["device"]', event_types: '[]' };
    return (await hamlet.client.post<{ devices: object }>('/api/v1/register', { form })).body.devices;
  };
  expect(await devices()).toMatchObject({ [id]: { push_key_id: null, push_token_id: null } });
  const form = { device_id: String(id) };
  const missing = { status: 404, body: { code: 'NOT_FOUND', msg: 'Device does not exist.' } };
  expect(await iago.client.post('/api/v1/remove_client_device', { form })).toMatchObject(missing);
  expect((await hamlet.client.post('/api/v1/remove_client_device', { form })).status).toBe(200);
  expect(await hamlet.client.post('/api/v1/remove_client_device', { form })).toMatchObject(missing);
  expect(await devices()).toEqual({});
  expect(await own.read()).toEqual([
    { type: 'device', op: 'add', device_id: id },
    { type: 'device', op: 'remove', device_id: id },
  ]);
  expect(await others.read()).toEqual([]);
});
