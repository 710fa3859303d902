import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { addDemoEmoji } from '../../app/demo/index.js';
import { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { send } from '../../../test/event-queue-requests.js';
import { animation, manyFrames, multipart, picture } from '../../../test/upload-forms.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia, polonius] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
    signIn(chat, 'polonius'),
  ]);
});
afterAll(() => cluster.stop());

interface ResponseBody {
  msg: string;
  code?: string;
}
interface Emoji {
  id: string;
  name: string;
  source_url: string;
  still_url: string | null;
  deactivated: boolean;
  author_id: number;
}

async function add(user: DemoUser, name: string, content?: Buffer | string): Promise<ResponseBody> {
  const file = { name: 'e.png', content: content ?? (await picture(30, 20)) };
  return (await user.client.post<ResponseBody>(`/api/v1/realm/emoji/${encodeURIComponent(name)}`, multipart([file])))
    .body;
}

async function remove(user: DemoUser, name: string): Promise<ResponseBody> {
  return (await user.client.delete<ResponseBody>(`/api/v1/realm/emoji/${name}`)).body;
}

async function listEmoji(user = hamlet): Promise<Record<string, Emoji>> {
  return (await user.client.get<{ emoji: Record<string, Emoji> }>('/api/v1/realm/emoji')).body.emoji;
}

async function fetchEmojiByName(name: string): Promise<Emoji> {
  const found = Object.values(await listEmoji()).find((emoji) => emoji.name === name);
  if (found === undefined) throw new Error(`There is no ${name}`);
  return found;
}

async function react(user: DemoUser, id: number, form: Record<string, string>): Promise<ResponseBody> {
  return (await user.client.post<ResponseBody>(`/api/v1/messages/${id}/reactions`, { form })).body;
}

async function load(url: string) {
  const { statusCode, headers, rawPayload } = await chat.app.getHttpAdapter().getInstance().inject({ url });
  return { statusCode, headers, rawPayload };
}

describe('endpoints of custom emoji', () => {
  it('emit an added emoji alone or as the full list, depending on the capabilities of the client', async () => {
    const [single, whole] = await Promise.all([
      openTestEventQueue(chat, cordelia, ['realm_emoji'], { client_capabilities: '{"individual_emoji_changes":true}' }),
      openTestEventQueue(chat, polonius, ['realm_emoji']),
    ]);
    expect(await add(hamlet, 'My_Tick')).toEqual({ result: 'success', msg: '' });
    const emoji = await fetchEmojiByName('my_tick');
    expect(emoji).toEqual({
      id: emoji.id,
      name: 'my_tick',
      source_url: expect.stringMatching(/^\/user_avatars\/\d+\/emoji\/images\/[0-9a-f]{24}\.png$/),
      still_url: null,
      deactivated: false,
      author_id: hamlet.id,
    });
    expect(await listEmoji(polonius)).toMatchObject({ [emoji.id]: emoji });
    expect(await single.read()).toEqual([{ type: 'realm_emoji', op: 'add', emoji }]);
    expect(await whole.read()).toEqual([{ type: 'realm_emoji', op: 'update', realm_emoji: await listEmoji() }]);
    expect(await add(polonius, 'not_mine')).toMatchObject({ code: 'BAD_REQUEST', msg: 'Insufficient permission' });
    expect(await add(hamlet, 'my_tick')).toMatchObject({ msg: 'A custom emoji with this name already exists.' });
  });

  it('store each image in one size, and serve the image without credentials', async () => {
    await add(hamlet, 'small');
    const { statusCode, headers, rawPayload } = await load((await fetchEmojiByName('small')).source_url);
    expect([statusCode, headers['content-type']]).toEqual([200, 'image/png']);
    expect(await sharp(rawPayload).metadata()).toMatchObject({ format: 'png', width: 64, height: 64 });
    expect((await load('/user_avatars/1/emoji/images/000000000000000000000000.png')).statusCode).toBe(404);
    expect((await load('/user_avatars/..%2F..%2Fuploads/a.png')).statusCode).toBe(404);
  });

  it('store a still image in addition to an animated one', async () => {
    await add(hamlet, 'dance', await animation(40, 40));
    const { source_url: moving, still_url: still } = await fetchEmojiByName('dance');
    expect(await sharp((await load(moving)).rawPayload).metadata()).toMatchObject({ format: 'gif', pages: 2 });
    expect(await sharp((await load(still ?? '')).rawPayload).metadata()).toMatchObject({ format: 'png', width: 64 });
  });

  it('reject a GIF of 20,000 frames with BAD_IMAGE, and do not delay concurrent sign-ins', async () => {
    const film = manyFrames(20_000);
    expect(film.length).toBeLessThan(500_000);
    const begun = performance.now();
    const uploads = Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((index) => add(hamlet, `film${index}`, film)));
    const signedIn = await chat.client.post<{ user_id: number }>('/api/v1/fetch_api_key', {
      form: { username: 'cordelia@example.com', password: 'switchboard-demo' },
    });
    expect(signedIn.body.user_id).toBe(cordelia.id);
    const refused = { code: 'BAD_IMAGE', msg: 'Image size exceeds limit.' };
    for (const response of await uploads) expect(response).toMatchObject(refused);
    // Without a limit, one such animation took 8 to 15 s of a thread.
    expect(performance.now() - begun).toBeLessThan(8_000);
  });

  it('reject an animation with too many pixels in total with BAD_IMAGE', async () => {
    expect(await add(hamlet, 'wide', manyFrames(20, 2_000))).toMatchObject({ msg: 'Image size exceeds limit.' });
  });

  it.each([
    ['ends in a separator', 'tick_'],
    ['has other letters', 'häkchen'],
    ['has no letters', '...'],
  ])('reject a name that %s', async (_name, name) => {
    expect((await add(hamlet, name)).code).toBe('BAD_REQUEST');
  });

  it('let only administrators override a Unicode emoji', async () => {
    const refused = await add(hamlet, 'octopus');
    expect(refused).toMatchObject({ msg: 'Only administrators can override default emoji.' });
    expect((await add(iago, 'octopus')).msg).toBe('');
    const id = await send(hamlet);
    await react(cordelia, id, { emoji_name: 'octopus' });
    const { body } = await hamlet.client.get<{ message: { reactions: object[] } }>(`/api/v1/messages/${id}`);
    expect(body.message.reactions).toMatchObject([{ reaction_type: 'realm_emoji' }]);
    expect((await remove(iago, 'octopus')).msg).toBe('');
  });

  it('require exactly one image', async () => {
    expect(await add(hamlet, 'text', 'no picture')).toMatchObject({ code: 'BAD_IMAGE' });
    const none = await hamlet.client.post('/api/v1/realm/emoji/none', multipart([]));
    expect(none.body).toMatchObject({ msg: 'You must upload exactly one file.' });
    const content = await picture(9, 9);
    const two = multipart([
      { name: 'a.png', content },
      { name: 'b.png', content },
    ]);
    expect((await hamlet.client.post('/api/v1/realm/emoji/two', two)).body).toMatchObject({
      msg: 'You must upload exactly one file.',
    });
    expect((await chat.client.post('/api/v1/realm/emoji/x', multipart([]))).status).toBe(401);
  });

  it('list each emoji of the demo organization once', async () => {
    const other = await chatCluster();
    const { runtime, client } = await other.start();
    const { database, files } = runtime;
    const ledger = new StoredFileDeletionSchedule(database, files.storage);
    await Promise.all([1, 2, 3].map(() => addDemoEmoji(database, ledger, chat.runtime.pictures)));
    await addDemoEmoji(database, ledger, chat.runtime.pictures);
    const { rows } = await database.query('SELECT id, name, deactivated FROM realm_emoji');
    expect(rows).toEqual([{ id: 1, name: 'green_tick', deactivated: false }]);
    const own = await database.query<{ file_name: string }>('SELECT file_name FROM realm_emoji');
    const path = `/user_avatars/1%2Femoji%2Fimages%2F${own.rows[0]?.file_name}`;
    expect((await client.get(path, { unchecked: true })).status).toBe(200);
    await other.stop();
  });

  it('add emoji that messages and reactions can use', async () => {
    await add(hamlet, 'green');
    const { id: code, source_url: url } = await fetchEmojiByName('green');
    const message = await send(hamlet, { content: 'all :green:' });
    const { body } = await hamlet.client.get<{ message: { content: string } }>(`/api/v1/messages/${message}`);
    expect(body.message.content).toContain(`<img alt=":green:" class="emoji" src="${url}" title="green">`);
    const reference = { emoji_name: 'green', emoji_code: code, reaction_type: 'realm_emoji' };
    expect((await react(cordelia, message, { emoji_name: 'green' })).msg).toBe('');
    expect((await react(iago, message, reference)).msg).toBe('');
    expect(await react(hamlet, message, { ...reference, emoji_code: '9999' })).toMatchObject({
      msg: 'Invalid custom emoji.',
    });
    expect(await react(hamlet, await send(hamlet), { ...reference, emoji_name: 'blue' })).toMatchObject({
      msg: 'Invalid custom emoji name.',
    });
    const gone = await cordelia.client.delete<ResponseBody>(`/api/v1/messages/${message}/reactions`, {
      form: { emoji_name: 'green' },
    });
    expect(gone.body.msg).toBe('');
    const status = await hamlet.client.post('/api/v1/users/me/status', { form: { emoji_name: 'green' } });
    expect(status.body).toMatchObject({ result: 'success' });
  });

  it('let author and administrators deactivate an emoji, which remains in existing content', async () => {
    await add(hamlet, 'old');
    const { id: code } = await fetchEmojiByName('old');
    const reference = { emoji_name: 'old', emoji_code: code, reaction_type: 'realm_emoji' };
    const message = await send(hamlet);
    await react(hamlet, message, reference);
    expect(await remove(cordelia, 'old')).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'Must be an organization administrator or emoji author',
    });
    const queue = await openTestEventQueue(chat, cordelia, ['realm_emoji'], {
      client_capabilities: '{"individual_emoji_changes":true}',
    });
    expect((await remove(hamlet, 'old')).msg).toBe('');
    expect(await queue.read()).toEqual([
      { type: 'realm_emoji', op: 'update_one', emoji_id: code, data: { deactivated: true } },
    ]);
    expect((await listEmoji())[code]).toMatchObject({ deactivated: true });
    expect(await remove(hamlet, 'old')).toMatchObject({ code: 'NOT_FOUND', msg: "Emoji 'old' does not exist" });
    expect(await react(iago, await send(hamlet), reference)).toMatchObject({
      msg: 'This custom emoji has been deactivated.',
    });
    expect((await react(iago, message, reference)).msg).toBe('');
    expect((await add(hamlet, 'old')).msg).toBe('');
  });

  it('emit events that update an earlier snapshot to the state of a new snapshot', async () => {
    const capabilities = { client_capabilities: '{"individual_emoji_changes":true}' };
    const snapshot = async () => {
      const form = { fetch_event_types: '["realm_emoji"]', ...capabilities };
      return (await cordelia.client.post<{ realm_emoji: Record<string, Emoji> }>('/api/v1/register', { form })).body;
    };
    const { realm_emoji: known } = await snapshot();
    const queue = await openTestEventQueue(chat, cordelia, ['realm_emoji'], capabilities);
    await add(hamlet, 'first');
    await add(hamlet, 'second');
    await remove(iago, 'first');
    for (let seen = 0; seen < 3;) {
      const events = await queue.read();
      for (const event of events) {
        if (event['op'] === 'add') known[(event['emoji'] as Emoji).id] = event['emoji'] as Emoji;
        else Object.assign(known[String(event['emoji_id'])] ?? {}, event['data']);
      }
      seen += events.length;
    }
    expect((await snapshot()).realm_emoji).toEqual(known);
  });
});
