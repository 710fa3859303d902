import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;

type Json = Record<string, unknown>;
const path = '/api/v1/saved_snippets';
const missing = { code: 'NOT_FOUND', msg: 'Saved snippet does not exist.' };

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
});
afterAll(() => cluster.stop());

const list = async (user: DemoUser) => (await user.client.get<{ saved_snippets: Json[] }>(path)).body.saved_snippets;

describe('endpoints of saved snippets', () => {
  it("let the owner create, change and delete a snippet, with events only to the owner's clients", async () => {
    const [own, others] = await Promise.all([
      openTestEventQueue(chat, hamlet, ['saved_snippets']),
      openTestEventQueue(chat, iago, ['saved_snippets']),
    ]);
    const added = await hamlet.client.post<{ saved_snippet_id: number }>(path, {
      form: { title: ' Greeting ', content: 'Hello **all**' },
    });
    const id = added.body.saved_snippet_id;
    const [snippet] = await list(hamlet);
    expect(snippet).toEqual({ id, title: 'Greeting', content: 'Hello **all**', date_created: expect.any(Number) });
    expect(await iago.client.patch(`${path}/${id}`, { form: { title: 'x' } })).toMatchObject({ status: 404 });
    await hamlet.client.patch(`${path}/${id}`, { form: { title: 'Farewell' } });
    await hamlet.client.delete(`${path}/${id}`);
    expect(await hamlet.client.delete(`${path}/${id}`)).toMatchObject({ status: 404, body: missing });
    expect(await list(hamlet)).toEqual([]);
    expect(await own.read()).toEqual([
      { type: 'saved_snippets', op: 'add', saved_snippet: snippet },
      { type: 'saved_snippets', op: 'update', saved_snippet: { ...snippet, title: 'Farewell' } },
      { type: 'saved_snippets', op: 'remove', saved_snippet_id: id },
    ]);
    expect(await others.read()).toEqual([]);
  });

  it.each<[form: Record<string, string>, msg: string]>([
    [{ title: ' ', content: 'x' }, 'title cannot be blank'],
    [{ title: 'x', content: ' ' }, 'content cannot be blank'],
    [{ title: 'ä'.repeat(61), content: 'x' }, 'title is too long (limit: 60 characters)'],
    [{ title: 'x', content: 'x'.repeat(10_001) }, 'content is too long (limit: 10000 characters)'],
    [{ title: 'x' }, "Missing 'content' argument"],
  ])('reject a snippet with incomplete, empty or overlong values (%#)', async (form, msg) => {
    expect((await hamlet.client.post<Json>(path, { form })).body['msg']).toBe(msg);
  });

  it('reject a change without title and content', async () => {
    expect((await hamlet.client.patch<Json>(`${path}/1`)).body['msg']).toBe('No new data supplied');
  });
});
