import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { videoServer, type VideoServer } from '../../../test/video-providers.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let server: VideoServer;
let iago: DemoUser;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  server = await videoServer();
  chat = await cluster.start(server.env);
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
});
afterAll(async () => {
  await cluster.stop();
  await server.close();
});
afterEach(() => {
  server.mood = 'well';
  server.created.length = 0;
});

interface ResponseBody {
  url: string;
  msg: string;
}

async function call(provider: string, form: Record<string, string> = {}): Promise<ResponseBody> {
  return (await hamlet.client.post<ResponseBody>(`/api/v1/calls/${provider}/create`, { form })).body;
}

const moods = ['hanging up', 'talking nonsense', 'failing'] as const;

describe('POST /calls/constructorgroups/create', () => {
  it('returns the URL of the personal room of the user', async () => {
    expect(await call('constructorgroups')).toMatchObject({ url: 'https://groups.test/room/1' });
    const digest = createHash('sha256').update('groups-key|groups-secret').digest('hex');
    expect(server.created).toEqual([
      {
        path: '/groups/room/default',
        authorization: `Bearer groups-key|${digest}`,
        body: {
          creator_email: hamlet.email,
          name: expect.stringMatching(/'s room$/),
          fallback_name: expect.stringMatching(new RegExp(`'s room \\(\\d+-${hamlet.id}\\)$`)),
        },
      },
    ]);
  });

  it.each(moods)('responds 400 if the provider is %s', async (mood) => {
    server.mood = mood;
    const msg = 'Failed to create Constructor Groups call';
    expect(await call('constructorgroups')).toMatchObject({ code: 'BAD_REQUEST', msg });
  });
});

describe('POST /calls/nextcloud_talk/create', () => {
  it('creates a public conversation with a shortened name', async () => {
    const { url } = await call('nextcloud_talk', { room_name: 'x'.repeat(300) });
    expect(url).toBe(`${server.url}/cloud/index.php/call/abc123`);
    expect(server.created).toEqual([
      {
        path: '/cloud/ocs/v2.php/apps/spreed/api/v4/room',
        authorization: `Basic ${Buffer.from('talk:talk-secret').toString('base64')}`,
        body: { roomType: 3, roomName: `${'x'.repeat(252)}...` },
      },
    ]);
  });

  it.each(moods)('responds 400 if the provider is %s', async (mood) => {
    server.mood = mood;
    const msg = 'Failed to create Nextcloud Talk call';
    expect(await call('nextcloud_talk', { room_name: 'x' })).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it('rejects a blank name', async () => {
    expect(await call('nextcloud_talk', { room_name: ' ' })).toMatchObject({ msg: 'room_name cannot be blank' });
  });
});

describe('POST /calls/vcall/create: provider choice', () => {
  it.each([
    ['6', 'https://groups.test/room/1'],
    ['7', expect.stringMatching(/\/call\/abc123$/)],
  ])('uses the chosen provider %s', async (id, url) => {
    const { status } = await iago.client.patch('/api/v1/realm', { form: { video_chat_provider: id } });
    expect(status).toBe(200);
    expect(await call('vcall')).toMatchObject({ url });
  });
});
