import { FakeClock, waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { openScheduledMessageWorker } from './delivery/open-scheduled-message-worker.js';
import type { ScheduledMessageWorker } from './delivery/scheduled-message-worker.js';

/** Clock whose time stands still, so that only a wake ends the sleep of a worker. Counts the sleeps. */
class StoppedClock extends FakeClock {
  sleepCount = 0;

  override setTimeout(run: () => void, delayMs: number) {
    this.sleepCount += 1;
    return super.setTimeout(run, delayMs);
  }
}

/** Difference between the clock of the worker and the time of the scheduled messages, in milliseconds. */
const lateMs = 60_000;

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let worker: ScheduledMessageWorker;
let clock: StoppedClock;

beforeAll(async () => {
  cluster = await chatCluster();
  // A process without workers: the only worker is the one with the stopped clock.
  chat = await cluster.start({ ROLE: 'api' });
  hamlet = await signIn(chat, 'hamlet');
  clock = new StoppedClock(Date.now() + 2 * lateMs);
  const events = new ChatEventWriter(chat.runtime.eventLog, chat.runtime.config);
  worker = openScheduledMessageWorker({ ...chat.runtime, events, clock });
  worker.start();
  await waitFor(() => clock.sleepCount > 0);
});
afterAll(async () => {
  await worker.stop();
  await cluster.stop();
});

/** Time in seconds since the epoch: in the future for the service, which schedules messages; past for the worker. */
const soon = () => String(Math.floor((clock.now() - lateMs) / 1000));

/** Runs a function that wakes the worker, and waits until the worker sleeps again. */
async function wakeOnce<T>(run: () => Promise<T>): Promise<T> {
  const sleeps = clock.sleepCount;
  const result = await run();
  await waitFor(() => clock.sleepCount > sleeps);
  return result;
}

const sent = (id: number) =>
  waitFor(async () => {
    const { rowCount } = await chat.runtime.database.query('SELECT FROM scheduled_messages WHERE id = $1', [id]);
    return rowCount === 0;
  });

async function schedule(time: string): Promise<number> {
  const { body } = await hamlet.client.post<{ msg: string; scheduled_message_id: number }>(
    '/api/v1/scheduled_messages',
    {
      form: {
        type: 'direct',
        to: JSON.stringify([hamlet.id]),
        content: 'wake up',
        scheduled_delivery_timestamp: time,
      },
    },
  );
  expect(body.msg).toBe('');
  return body.scheduled_message_id;
}

describe('WakeScheduledMessageWorkers', () => {
  it('ends the sleep of a worker when a message is scheduled', () =>
    wakeOnce(async () => sent(await schedule(soon()))));

  it('ends the sleep of a worker when the time of a scheduled message changes', async () => {
    const id = await wakeOnce(() => schedule('4000000000'));
    await wakeOnce(async () => {
      const form = { scheduled_delivery_timestamp: soon() };
      expect((await hamlet.client.patch(`/api/v1/scheduled_messages/${id}`, { form })).status).toBe(200);
      await sent(id);
    });
  });

  it('ends the sleep of a worker when a reminder is created', async () => {
    const { body: message } = await hamlet.client.post<{ id: number }>('/api/v1/messages', {
      form: { type: 'direct', to: JSON.stringify([hamlet.id]), content: 'remember' },
    });
    await wakeOnce(async () => {
      const form = { message_id: String(message.id), scheduled_delivery_timestamp: soon() };
      const { body } = await hamlet.client.post<{ reminder_id: number }>('/api/v1/reminders', { form });
      await sent(body.reminder_id);
    });
  });
});
