import { listen, type ListeningService } from '@switchboard/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import createZulipClient from 'zulip-js';
import { demoPassword } from '../src/modules/demo/index.js';
import { type ChatCluster, chatCluster } from './chat-server.js';

let cluster: ChatCluster;
let server: ListeningService;

beforeAll(async () => {
  cluster = await chatCluster();
  server = await listen((await cluster.start()).app);
});
afterAll(() => cluster.stop());

const login = (name: string) =>
  createZulipClient({ username: `${name}@example.com`, password: demoPassword, realm: server.url });

it('lets one identity register and poll and another send, and the first receives it', async () => {
  const cordelia = await login('cordelia');
  const iago = await login('iago');
  const queue = await cordelia.queues.register({ event_types: ['message'] });
  expect(queue).toMatchObject({ result: 'success', last_event_id: -1 });
  const polled = cordelia.events.retrieve({ queue_id: queue.queue_id, last_event_id: -1 });
  const sent = await iago.messages.send({ to: 'Verona', type: 'stream', topic: 'npm', content: 'from **zulip-js**' });
  expect(sent).toMatchObject({ result: 'success' });
  const { events } = await polled;
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    type: 'message',
    message: {
      id: sent.id,
      content: 'from **zulip-js**',
      sender_full_name: 'Iago',
      subject: 'npm',
      client: 'node-fetch',
    },
  });
  expect(await cordelia.queues.deregister({ queue_id: queue.queue_id })).toMatchObject({ result: 'success' });
});

it('reads messages, users and its own account', async () => {
  const zoe = await login('ZOE');
  const { messages } = await zoe.messages.retrieve({
    anchor: 'newest',
    num_before: 5,
    num_after: 0,
    narrow: [{ operator: 'stream', operand: 'Verona' }],
  });
  expect(messages).toHaveLength(5);
  const { members } = await zoe.users.retrieve();
  expect(members.length).toBeGreaterThanOrEqual(13);
  expect(await zoe.users.me.getProfile()).toMatchObject({ result: 'success', full_name: 'Zoe' });
});

it('sends to people by their ids', async () => {
  const [hamlet, othello] = await Promise.all([login('hamlet'), login('othello')]);
  const me = await othello.users.me.getProfile();
  const sent = await hamlet.messages.send({ to: [me.user_id], type: 'direct', content: 'hi' });
  expect(sent).toMatchObject({ result: 'success' });
});

it('is told of a queue that is gone', async () => {
  const aaron = await login('AARON');
  const answer = await aaron.events.retrieve({ queue_id: 'gone', last_event_id: -1 });
  expect(answer).toMatchObject({ result: 'error', code: 'BAD_EVENT_QUEUE_ID', queue_id: 'gone' });
});
