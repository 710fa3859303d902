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

const path = '/api/v1/users/me/alert_words';
const words = (...alert_words: string[]) => ({ form: { alert_words: JSON.stringify(alert_words) } });
const add = async (user: DemoUser, ...list: string[]) => (await user.client.post<Json>(path, words(...list))).body;
async function flagsOf(user: DemoUser, id: number): Promise<unknown> {
  return (await user.client.get<{ message: Json }>(`/api/v1/messages/${id}`)).body.message['flags'];
}
async function fetchSnapshotPart(user: DemoUser, type: string): Promise<Json> {
  const form = { fetch_event_types: JSON.stringify([type]), event_types: '[]' };
  return (await user.client.post<Json>('/api/v1/register', { form })).body;
}

describe('POST /users/me/alert_words', () => {
  it('adds words to a case-insensitive set in insertion order, and emits the set to all clients of the user', async () => {
    const [own, others] = await Promise.all([
      openTestEventQueue(chat, hamlet, ['alert_words']),
      openTestEventQueue(chat, iago, ['alert_words']),
    ]);
    expect((await add(hamlet, ' Ghost ', 'poison'))['alert_words']).toEqual(['Ghost', 'poison']);
    expect((await add(hamlet, 'GHOST'))['alert_words']).toEqual(['Ghost', 'poison']);
    const left = await hamlet.client.delete<Json>(path, words('ghost', 'nobody'));
    expect(left.body['alert_words']).toEqual(['poison']);
    expect((await hamlet.client.get<Json>(path)).body['alert_words']).toEqual(['poison']);
    expect((await fetchSnapshotPart(hamlet, 'alert_words'))['alert_words']).toEqual(['poison']);
    expect(await own.read()).toEqual([
      { type: 'alert_words', alert_words: ['Ghost', 'poison'] },
      { type: 'alert_words', alert_words: ['poison'] },
    ]);
    expect(await others.read()).toEqual([]);
  });

  it("sets has_alert_word on later messages that contain the word, only for the word's owner, in every process", async () => {
    await add(hamlet, 'Elsinore', 'c++', 'to be');
    const queue = await openTestEventQueue(chat, hamlet, ['message']);
    const elsewhere = await signIn(other, 'iago');
    const texts = ['Back in **elsinore**.', 'I write C++ now', 'To  be', 'not TO BE!', 'elsinores', 'ac++'];
    const ids: number[] = [];
    for (const content of texts) ids.push(await send(elsewhere, { content }));
    const flagged = await Promise.all(ids.map(async (id) => flagsOf(hamlet, id)));
    const has = ['has_alert_word'];
    expect(flagged).toEqual([has, has, [], has, [], []]);
    expect(await flagsOf(cordelia, ids[0] ?? 0)).toEqual([]);
    expect((await queue.read()).map(({ flags }) => flags)).toEqual(flagged);
  });

  it('updates has_alert_word when an edit adds the alert word to a message or removes the word', async () => {
    await add(hamlet, 'Elsinore');
    const [gains, loses] = [await send(iago, { content: 'home' }), await send(iago, { content: 'Elsinore' })];
    const queue = await openTestEventQueue(chat, hamlet, ['update_message']);
    const edit = (id: number, content: string) => iago.client.patch(`/api/v1/messages/${id}`, { form: { content } });
    await edit(gains, 'Back in elsinore');
    await edit(loses, 'home');
    expect([await flagsOf(hamlet, gains), await flagsOf(hamlet, loses)]).toEqual([['has_alert_word'], []]);
    expect(await flagsOf(cordelia, gains)).toEqual([]);
    expect((await queue.read()).map(({ flags }) => flags)).toEqual([['has_alert_word'], []]);
  });

  it('rejects more than 1000 alert words with BAD_REQUEST', async () => {
    const many = (start: number) => Array.from({ length: 600 }, (_, index) => `word ${start + index}`);
    expect((await add(cordelia, ...many(0)))['msg']).toBe('');
    const refused = { code: 'BAD_REQUEST', msg: 'You have too many alert words (limit: 1000).' };
    expect(await add(cordelia, ...many(1_000))).toMatchObject(refused);
    expect((await cordelia.client.get<{ alert_words: string[] }>(path)).body.alert_words).toHaveLength(600);
    await cordelia.client.delete(path, words(...many(0)));
  });

  it('rejects empty and too long alert words', async () => {
    expect((await add(hamlet, 'x', ' '))['msg']).toBe('alert_words[1] cannot be blank');
    expect((await add(hamlet, 'x'.repeat(101)))['msg']).toBe('alert_words[0] is too long (limit: 100 characters)');
  });
});
