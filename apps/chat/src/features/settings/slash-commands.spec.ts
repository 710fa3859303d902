import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(() => cluster.stop());

async function run(command: string): Promise<Record<string, unknown>> {
  return (await hamlet.client.post<Record<string, unknown>>('/api/v1/zcommand', { form: { command } })).body;
}

describe('POST /zcommand', () => {
  it.each([
    ['/dark', 'dark theme', '/light', 'You are still in dark theme.', { property: 'color_scheme', value: 2 }],
    ['/day', 'light theme', '/dark', 'You are still in light theme.', { property: 'color_scheme', value: 3 }],
    [
      '/fluid-width',
      'fluid-width mode',
      '/fixed-width',
      'You are still in fluid width mode.',
      { property: 'fluid_layout_width', value: true },
    ],
  ])(
    'changes the setting of the command %s once, and emits the change',
    async (command, mode, opposite, still, event) => {
      const queue = await openTestEventQueue(chat, hamlet, ['user_settings']);
      const msg = `Changed to ${mode}! To revert ${mode}, type \`${opposite}\`.`;
      expect(await run(command)).toEqual({ result: 'success', msg });
      expect(await run(command)).toEqual({ result: 'success', msg: still });
      expect(await queue.read()).toMatchObject([event]);
    },
  );

  it('responds to /ping with success and an empty message', async () => {
    expect(await run('/ping')).toEqual({ result: 'success', msg: '' });
  });

  it('rejects a text without a leading slash, and an unknown command', async () => {
    expect(await run('ping')).toMatchObject({ msg: 'There should be a leading slash in the zcommand.' });
    expect(await run('/x')).toMatchObject({ code: 'BAD_REQUEST', msg: 'No such command: x' });
  });
});
