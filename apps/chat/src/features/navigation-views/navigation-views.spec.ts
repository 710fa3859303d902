import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;

type Json = Record<string, unknown>;
const path = '/api/v1/navigation_views';
const missing = { result: 'error', code: 'NOT_FOUND', msg: 'Navigation view does not exist.' };

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
});
afterAll(() => cluster.stop());

const list = async (user: DemoUser) => {
  return (await user.client.get<{ navigation_views: Json[] }>(path)).body.navigation_views;
};
const add = async (user: DemoUser, form: Record<string, string>) => (await user.client.post<Json>(path, { form })).body;

describe('endpoints of navigation views', () => {
  it('emit changes of a view only to clients of the user', async () => {
    const [own, others] = await Promise.all([
      openTestEventQueue(chat, hamlet, ['navigation_view']),
      openTestEventQueue(chat, iago, ['navigation_view']),
    ]);
    const fragment = 'narrow/channel/9-devel/topic/a.20topic';
    const url = `${path}/${encodeURIComponent(fragment)}`;
    await add(hamlet, { fragment: 'inbox', is_pinned: 'true' });
    await add(hamlet, { fragment, is_pinned: 'false', name: 'Development' });
    expect(await list(hamlet)).toEqual([
      { fragment: 'inbox', is_pinned: true, name: null },
      { fragment, is_pinned: false, name: 'Development' },
    ]);
    await hamlet.client.patch(url, { form: { is_pinned: 'true', name: 'Devel' } });
    await hamlet.client.patch(url, { form: { is_pinned: 'true' } });
    await hamlet.client.patch(`${path}/inbox`, { form: { is_pinned: 'false' } });
    expect(await list(hamlet)).toEqual([
      { fragment: 'inbox', is_pinned: false, name: null },
      { fragment, is_pinned: true, name: 'Devel' },
    ]);
    await hamlet.client.delete(url);
    expect(await own.read()).toEqual([
      { type: 'navigation_view', op: 'add', navigation_view: { fragment: 'inbox', is_pinned: true, name: null } },
      {
        type: 'navigation_view',
        op: 'add',
        navigation_view: { fragment, is_pinned: false, name: 'Development' },
      },
      { type: 'navigation_view', op: 'update', fragment, data: { name: 'Devel', is_pinned: true } },
      { type: 'navigation_view', op: 'update', fragment: 'inbox', data: { is_pinned: false } },
      { type: 'navigation_view', op: 'remove', fragment },
    ]);
    expect(await others.read()).toEqual([]);
  });

  it('accept a fragment with unescaped slashes in the URL path', async () => {
    await add(iago, { fragment: 'narrow/is/starred', is_pinned: 'true' });
    const { status } = await iago.client.request('DELETE', `${path}/narrow/is/starred`, { unchecked: true });
    expect(status).toBe(200);
    expect(await list(iago)).toEqual([]);
  });

  it('respond NOT_FOUND for unknown views and views of other users', async () => {
    await add(iago, { fragment: 'recent', is_pinned: 'true' });
    const form = { is_pinned: 'true' };
    expect(await hamlet.client.patch(`${path}/recent`, { form })).toMatchObject({ status: 404, body: missing });
    expect(await hamlet.client.delete(`${path}/nowhere`)).toMatchObject({ status: 404, body: missing });
  });

  it('reject a name for built-in views, and require a name for other views', async () => {
    const named = { code: 'BAD_REQUEST', msg: 'Built-in views cannot have a custom name.' };
    expect(await add(hamlet, { fragment: 'feed', is_pinned: 'true', name: 'Mine' })).toMatchObject(named);
    await add(hamlet, { fragment: 'feed', is_pinned: 'true' });
    const { body } = await hamlet.client.patch(`${path}/feed`, { form: { name: 'Mine' } });
    expect(body).toMatchObject(named);
    const nameless = await add(hamlet, { fragment: 'narrow/is/dm', is_pinned: 'true' });
    expect(nameless).toMatchObject({ code: 'BAD_REQUEST', msg: 'Custom views must have a valid name.' });
  });

  it.each<[form: Record<string, string>, msg: string]>([
    [{ fragment: 'feed', is_pinned: 'true' }, 'Navigation view already exists.'],
    [{ fragment: ' ', is_pinned: 'true' }, 'fragment cannot be blank'],
    [{ fragment: 'x'.repeat(501), is_pinned: 'true', name: 'x' }, 'fragment is too long (limit: 500 characters)'],
    [{ fragment: 'x', is_pinned: 'true', name: '' }, 'name cannot be blank'],
    [{ fragment: 'x', name: 'x' }, "Missing 'is_pinned' argument"],
  ])('reject a view with incomplete, empty or overlong values (%#)', async (form, msg) => {
    expect((await add(hamlet, form))['msg']).toBe(msg);
  });
});
