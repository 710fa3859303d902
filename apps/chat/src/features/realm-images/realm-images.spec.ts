import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { multipart, picture } from '../../../test/upload-forms.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

async function uploadIcon(content: Buffer | string): Promise<Json> {
  return (await iago.client.post<Json>('/api/v1/realm/icon', multipart([{ name: 'i.png', content }]))).body;
}

async function uploadLogo(content: Buffer | string, fields: Record<string, string>): Promise<Json> {
  return (await iago.client.post<Json>('/api/v1/realm/logo', multipart([{ name: 'l.png', content }], fields))).body;
}

async function register(): Promise<Json> {
  return (await hamlet.client.post<Json>('/api/v1/register', { form: { fetch_event_types: '["realm"]' } })).body;
}

async function redirect(path: string): Promise<unknown> {
  const { status, headers } = await hamlet.client.get(path);
  expect(status).toBe(302);
  return headers['location'];
}

const load = (url: unknown) =>
  chat.app
    .getHttpAdapter()
    .getInstance()
    .inject({ url: String(url) });

describe('POST and DELETE /realm/icon', () => {
  it('store a square icon, show it everywhere and remove the previous one', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['realm']);
    const { icon_url: first } = await uploadIcon(await picture(300, 200));
    expect(first).toMatch(/^\/user_avatars\/\d+\/realm\/icon\/[0-9a-f]{40}\.png\?version=2$/);
    expect(await sharp((await load(first)).rawPayload).metadata()).toMatchObject({ width: 100, height: 100 });
    expect(await register()).toMatchObject({ realm_icon_url: first, realm_icon_source: 'U' });
    expect((await chat.client.get('/api/v1/server_settings')).body).toMatchObject({ realm_icon: first });
    expect(await redirect('/api/v1/realm/icon')).toBe(first);
    const { icon_url: second } = await uploadIcon(await picture(9, 9));
    expect((await load(first)).statusCode).toBe(404);
    const { icon_url: removed } = (await iago.client.delete<Json>('/api/v1/realm/icon')).body;
    expect(removed).toMatch(/^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=4$/);
    expect((await load(second)).statusCode).toBe(404);
    expect(await register()).toMatchObject({ realm_icon_url: removed, realm_icon_source: 'G' });
    const event = (icon_url: unknown, icon_source: string) => ({
      type: 'realm',
      op: 'update_dict',
      property: 'icon',
      data: { icon_url, icon_source },
    });
    expect(await queue.read()).toEqual([event(first, 'U'), event(second, 'U'), event(removed, 'G')]);
  });

  it('reject a file that is not an image, a missing file, and a file that is too large', async () => {
    expect(await uploadIcon('no picture')).toMatchObject({ code: 'BAD_IMAGE' });
    expect(await uploadIcon(Buffer.alloc(5 * 1024 * 1024 + 1))).toMatchObject({
      msg: 'Uploaded file is larger than the allowed limit of 5 MiB',
    });
    const none = await iago.client.post<Json>('/api/v1/realm/icon', multipart([]));
    expect(none.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'You must upload exactly one icon.' });
  });
});

describe('POST and DELETE /realm/logo', () => {
  it.each([
    ['false', 'logo', 'logo'],
    ['true', 'night_logo', 'nightlogo'],
  ])('change only the logo with night=%s', async (night, property, folder) => {
    const before = await register();
    const queue = await openTestEventQueue(chat, hamlet, ['realm']);
    expect(await uploadLogo(await picture(1600, 50), { night })).toMatchObject({ result: 'success' });
    const shown = await register();
    const url = shown[`realm_${property}_url`];
    expect(url).toMatch(new RegExp(`^/user_avatars/\\d+/realm/${folder}/[0-9a-f]{40}\\.png\\?version=2$`));
    const source = { [`realm_${property}_url`]: url, [`realm_${property}_source`]: 'U' };
    expect(shown).toMatchObject({ ...before, ...source, queue_id: expect.anything() });
    expect(await sharp((await load(url)).rawPayload).metadata()).toMatchObject({ width: 800, height: 25 });
    expect(await redirect(`/api/v1/realm/logo?night=${night}`)).toBe(url);
    expect((await iago.client.delete<Json>('/api/v1/realm/logo', { form: { night } })).body).toEqual({
      result: 'success',
      msg: '',
    });
    expect(await register()).toMatchObject({ [`realm_${property}_source`]: 'D' });
    expect(await queue.read()).toMatchObject([
      { property, data: { [`${property}_url`]: url, [`${property}_source`]: 'U' } },
      {
        property,
        data: {
          [`${property}_url`]: `/static/images/logo/logo${night === 'true' ? '-night' : ''}.svg`,
          [`${property}_source`]: 'D',
        },
      },
    ]);
  });

  it('require the parameter night, which may be in the query', async () => {
    const missing = await uploadLogo(await picture(9, 9), {});
    expect(missing).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'night' });
    const form = multipart([{ name: 'l.png', content: await picture(9, 9) }]);
    expect((await iago.client.post<Json>('/api/v1/realm/logo?night=true', form)).body).toEqual({
      result: 'success',
      msg: '',
    });
    expect(await register()).toMatchObject({ realm_night_logo_source: 'U', realm_logo_source: 'D' });
  });

  it('retain the icon that a concurrent request uploads', async () => {
    await Promise.all([
      uploadIcon(await picture(20, 20)),
      uploadLogo(await picture(30, 30), { night: 'false' }),
      uploadLogo(await picture(40, 40), { night: 'true' }),
    ]);
    const sources = { realm_icon_source: 'U', realm_logo_source: 'U', realm_night_logo_source: 'U' };
    expect(await register()).toMatchObject(sources);
  });
});
