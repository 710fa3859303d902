import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { multipart, picture } from '../../../test/upload-forms.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let cordelia: DemoUser;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, cordelia, iago] = await Promise.all([
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
    signIn(chat, 'iago'),
  ]);
});
afterAll(() => cluster.stop());

const path = '/api/v1/users/me/avatar';

interface ResponseBody {
  avatar_url: string;
  msg: string;
}

async function give(user: DemoUser, content: Buffer | string) {
  return (await user.client.post<ResponseBody>(path, multipart([{ name: 'me.png', content }]))).body;
}

async function shownTo(user: DemoUser, id: number) {
  const { body } = await user.client.get<{ user: { avatar_url: string | null; avatar_version: number } }>(
    `/api/v1/users/${id}`,
    { query: { client_gravatar: true } },
  );
  return body.user;
}

async function loadImage(user: DemoUser, url: string): Promise<Buffer> {
  const { headers } = await user.client.get(url);
  const location = String(headers['location']);
  expect(location).toMatch(/^\/user_avatars\/\d+\/[0-9a-f]{40}(-medium)?\.png$/);
  return (await chat.app.getHttpAdapter().getInstance().inject({ url: location })).rawPayload;
}

describe('POST and DELETE /users/me/avatar', () => {
  it('store the image in two sizes that all users can load', async () => {
    const { avatar_version: before } = await shownTo(cordelia, hamlet.id);
    const queue = await openTestEventQueue(chat, cordelia, ['realm_user']);
    const { avatar_url: url } = await give(hamlet, await picture(300, 200));
    expect(url).toBe(`/avatar/${hamlet.id}?version=${before + 1}`);
    expect(await shownTo(cordelia, hamlet.id)).toMatchObject({ avatar_url: url, avatar_version: before + 1 });
    const medium = `/avatar/${hamlet.id}/medium?version=${before + 1}`;
    expect(await queue.read()).toEqual([
      {
        type: 'realm_user',
        op: 'update',
        person: {
          user_id: hamlet.id,
          avatar_url: url,
          avatar_url_medium: medium,
          avatar_source: 'U',
          avatar_version: before + 1,
        },
      },
    ]);
    expect(await sharp(await loadImage(cordelia, url)).metadata()).toMatchObject({ width: 100, height: 100 });
    expect(await sharp(await loadImage(cordelia, medium)).metadata()).toMatchObject({ width: 500, height: 500 });
    expect((await iago.client.get(`/avatar/${encodeURIComponent(hamlet.email)}`)).status).toBe(302);
    expect((await cordelia.client.get(`/avatar/${encodeURIComponent(hamlet.email)}`)).status).toBe(400);
  });

  it('change the avatar URL with each upload and remove the previous image', async () => {
    await give(hamlet, await picture(50, 50));
    const first = await hamlet.client.get(`/avatar/${hamlet.id}`);
    await give(hamlet, await picture(60, 60));
    const second = await hamlet.client.get(`/avatar/${hamlet.id}`);
    expect(first.headers['location']).not.toBe(second.headers['location']);
    expect((await chat.client.get(String(first.headers['location']))).status).toBe(404);
  });

  it('show the Gravatar picture again when the avatar is removed', async () => {
    await give(hamlet, await picture(50, 50));
    const { body } = await hamlet.client.delete<ResponseBody>(path);
    expect(body.avatar_url).toMatch(/^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?/);
    expect((await shownTo(iago, hamlet.id)).avatar_url).toBeNull();
    const { status, headers } = await cordelia.client.get(`/avatar/${hamlet.id}/medium`);
    expect([status, headers['location']]).toEqual([302, expect.stringMatching(/gravatar.*&s=500$/)]);
  });

  it('reject files that are not images, several files, and files that are too large', async () => {
    expect(await give(hamlet, 'no picture')).toMatchObject({ code: 'BAD_IMAGE' });
    expect(await give(hamlet, Buffer.alloc(5 * 1024 * 1024 + 1))).toMatchObject({
      msg: 'Uploaded file is larger than the allowed limit of 5 MiB',
    });
    const none = await hamlet.client.post(path, multipart([]));
    expect(none.body).toMatchObject({ msg: 'You must upload exactly one avatar.' });
  });

  it('reject changes when the organization disables avatar changes', async () => {
    const set = async (disabled: boolean) =>
      void (await chat.runtime.database.query(
        `UPDATE realms SET settings = settings || jsonb_build_object('avatar_changes_disabled', $1::boolean)`,
        [disabled],
      ));
    await set(true);
    const refused = await give(hamlet, await picture(9, 9));
    await set(false);
    expect(refused.msg).toBe('Avatar changes are disabled in this organization.');
  });

  it('respond 401 without credentials', async () => {
    expect((await chat.client.get(`/avatar/${hamlet.id}`)).status).toBe(401);
    expect((await hamlet.client.get('/avatar/999999')).status).toBe(400);
  });
});
