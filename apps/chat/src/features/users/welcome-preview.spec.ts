import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  iago = await signIn(chat, 'iago');
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

async function preview(text: string): Promise<Json> {
  const form = { welcome_message_custom_text: text };
  return (await iago.client.post<Json>('/api/v1/realm/test_welcome_bot_custom_message', { form })).body;
}

describe('POST /realm/test_welcome_bot_custom_message', () => {
  it('sends the greeting of Welcome Bot with the custom text to the requester', async () => {
    const queue = await openTestEventQueue(chat, iago, ['message', 'realm']);
    const { message_id: id } = await preview('Read the *rules*.');
    expect(await queue.read()).toMatchObject([{ type: 'message', message: { id, sender_full_name: 'Welcome Bot' } }]);
    const { body } = await iago.client.get<Json>(`/api/v1/messages/${String(id)}`);
    expect(body).toMatchObject({ message: { type: 'private', content: expect.stringContaining('<em>rules</em>') } });
  });

  it('rejects a blank or long text with 400', async () => {
    expect(await preview(' ')).toMatchObject({ code: 'BAD_REQUEST', msg: 'Message must not be empty' });
    expect(await preview('x'.repeat(8001))).toMatchObject({ code: 'BAD_REQUEST' });
  });
});
