import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { processClock } from '../src/environment.js';
import { encodeAudience, parseCachedAudience, type Audience } from '../src/event-log/audience.js';
import { DeadlineSchedule } from '../src/event-log/deadline-schedule.js';
import { EntryRenderingThrottle } from '../src/event-log/entry-rendering-throttle.js';
import { BadEventQueueError, EventAheadError } from '../src/event-log/event-log-errors.js';
import type { LogEntryRenderer } from '../src/event-log/event-queue-view.js';
import { LogEntry } from '../src/event-log/log-entry.js';
import { WaitingPollsOfRealm, type PollWaitingForLogEntries } from '../src/event-log/waiting-polls.js';
import { plain, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { redisUrl, uniqueName, until } from './queue-test-support.js';

const entry = (unit: number, audience: Audience = { all: true }): LogEntry =>
  new LogEntry(unit, unit - 1, String(unit), parseCachedAudience(encodeAudience(audience)), '{"event":{}}');

/** Registers pending polls that record each call: the offered log entries, and the completion of the poll. */
function notingWaiters(waiters: WaitingPollsOfRealm, users: readonly (number | null)[], deaf = -1): string[] {
  const notes: string[] = [];
  users.forEach((user, index) => {
    const waiter: PollWaitingForLogEntries = {
      user,
      roles: ['readers'],
      offerEntry: (entries) => {
        notes.push(`offer ${index}: ${entries.map(({ unit }) => unit).join(' ')}`);
        return index !== deaf;
      },
      complete: () => {
        notes.push(`complete ${index}`);
        void Promise.resolve().then(() => notes.push(`settled ${index}`));
      },
      recheckQueue: () => notes.push(`recheck ${index}`),
    };
    waiters.addWaitingPoll(waiter);
  });
  return notes;
}

const failingRenderer: LogEntryRenderer = () => {
  throw new Error('no idea how');
};

describe('pending polls', () => {
  it('end while other polls are still being examined', async () => {
    const waiters = new WaitingPollsOfRealm(new EntryRenderingThrottle());
    const count = 200;
    const notes = notingWaiters(waiters, Array.from(Array(count).keys()), 1);
    waiters.deliverLogEntriesToPolls([entry(1)]);
    await waiters.delivering;
    expect(notes.filter((note) => note.startsWith('offer'))).toHaveLength(count);
    expect(notes.filter((note) => note.startsWith('complete'))).toHaveLength(count - 1);
    expect(notes).not.toContain('complete 1');
    const first = notes.indexOf('complete 2');
    expect(notes[first + 1]).toBe('complete 3');
    // Responses by promise do not wait for the waiters that are examined later.
    for (const settled of ['settled 0', 'settled 2']) {
      expect(notes.indexOf(settled)).toBeLessThan(notes.indexOf(`offer ${count - 1}: 1`));
    }
  });

  it.each([
    { count: 2, atOnce: 2 },
    { count: 3, atOnce: 0 },
    { count: 500, atOnce: 0 },
  ])('end in a later iteration of the event loop if more than two polls end: $count', async ({ count, atOnce }) => {
    const waiters = new WaitingPollsOfRealm(new EntryRenderingThrottle());
    const notes = notingWaiters(waiters, Array.from(Array(count).keys()));
    let sender = Promise.resolve();
    for (let hop = 0; hop < 50; hop += 1) sender = sender.then(() => {});
    waiters.deliverLogEntriesToPolls([entry(1)]);
    const responses = (): number => notes.filter((note) => note.startsWith('complete')).length;
    expect(responses()).toBe(atOnce);
    await sender;
    expect(responses()).toBe(atOnce);
    await waiters.delivering;
    expect(responses()).toBe(count);
  });

  it('receive the entries of successive batches in order', async () => {
    const waiters = new WaitingPollsOfRealm(new EntryRenderingThrottle());
    const notes = notingWaiters(waiters, [1, 2]);
    waiters.deliverLogEntriesToPolls([entry(1), entry(2)]);
    waiters.deliverLogEntriesToPolls([entry(3)]);
    expect(waiters.delivering).not.toBeNull();
    await waiters.delivering;
    const offers = notes.filter((note) => note.startsWith('offer'));
    expect(offers).toEqual(['offer 0: 1 2', 'offer 1: 1 2', 'offer 0: 3', 'offer 1: 3']);
    expect(waiters.delivering).toBeNull();
  });

  it('receive in order more entries than one iteration of the event loop processes, and end once', async () => {
    const waiters = new WaitingPollsOfRealm(new EntryRenderingThrottle());
    const units: number[][] = [[], []];
    const completed: number[] = [];
    for (const [index, received] of units.entries()) {
      waiters.addWaitingPoll({
        user: 1,
        roles: [],
        offerEntry: (entries) => received.push(...entries.map(({ unit }) => unit)) > 0,
        complete: () => completed.push(index),
        recheckQueue: () => {},
      });
    }
    const all = Array.from({ length: 1_500 }, (_, index) => index + 1);
    waiters.deliverLogEntriesToPolls(all.map((unit) => entry(unit)));
    expect(units.map(({ length }) => length)).toEqual([1_000, 0]);
    await waiters.delivering;
    expect(units).toEqual([all, all]);
    expect(completed).toEqual([0, 1]);
  });

  it('receive only entries whose audience includes their user', async () => {
    const waiters = new WaitingPollsOfRealm(new EntryRenderingThrottle());
    const notes = notingWaiters(waiters, [1, 2, 2, null]);
    waiters.deliverLogEntriesToPolls([entry(1, { users: [2] }), entry(2, { users: [9] })]);
    await waiters.delivering;
    expect(notes.filter((note) => note.startsWith('offer'))).toEqual(['offer 1: 1', 'offer 2: 1']);
    waiters.deliverLogEntriesToPolls([entry(3, { users: [8] })]);
    expect(waiters.delivering).toBeNull();
    waiters.deliverLogEntriesToPolls([entry(4, { roles: ['readers'] })]);
    await turn();
    expect(notes.filter((note) => note.endsWith(': 4'))).toHaveLength(4);
  });
});

describe('deadlines of polls', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('expire on time, never early, by one shared timer', () => {
    const deadlines = new DeadlineSchedule(250, processClock);
    const came: string[] = [];
    for (const at of [1_010, 1_100, 1_250, 1_251]) deadlines.add({ expire: () => came.push(String(at)) }, at);
    expect(vi.getTimerCount()).toBe(2);
    vi.advanceTimersByTime(249);
    expect(came).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(came).toEqual(['1010', '1100', '1250']);
    vi.advanceTimersByTime(250);
    expect(came).toHaveLength(4);
  });

  it('need no timer when no poll is pending', () => {
    const deadlines = new DeadlineSchedule(250, processClock);
    const [first, second] = [1_100, 1_150].map((at) => deadlines.add({ expire: () => {} }, at));
    if (first) deadlines.remove(first);
    expect(vi.getTimerCount()).toBe(1);
    if (second) deadlines.remove(second);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('PendingEventPoll', () => {
  afterEach(() => stopAll());

  it('ends when the client of the poll disconnects', async () => {
    const { pool, drop } = await thingsPool();
    const [process, realm] = [new TestProcess(pool, uniqueName()), uniqueName()];
    await process.log.waitUntilStoreResponds();
    const { owner, queueId } = await TestClient.register(process, realm);
    const response = new PassThrough();
    const poll = { realm, owner, queueId, block: true, client: response };
    const responded = process.log.poll({ ...poll, lastEventId: -1 }, plain);
    await until(() => process.log.metrics().waiters === 1);
    await process.change(realm, 1);
    expect(await responded).toMatchObject([{ id: 100, n: 1 }]);
    // Cleanup happens after the event-loop turn, in which thousands of polls may complete.
    await turn();
    expect(response.listenerCount('close')).toBe(0);
    const left = process.log.poll({ ...poll, lastEventId: 100 }, plain);
    await until(() => process.log.metrics().waiters === 1);
    response.destroy();
    expect(await left).toEqual([]);
    expect(await process.log.poll({ ...poll, lastEventId: 100 }, plain)).toEqual([]);
    await stopAll();
    await drop();
  });

  it('does not end when another poll or stream begins whose client has already disconnected', async () => {
    const { pool, drop } = await thingsPool();
    const [process, realm] = [new TestProcess(pool, uniqueName()), uniqueName()];
    await process.log.waitUntilStoreResponds();
    const { owner, queueId } = await TestClient.register(process, realm);
    const poll = { realm, owner, queueId, lastEventId: -1 };
    const pending = process.log.poll({ ...poll, block: true }, plain);
    await until(() => process.log.metrics().waiters === 1);
    const client = new PassThrough().destroy();
    await until(() => client.closed);
    expect(await process.log.poll({ ...poll, block: true, client }, plain)).toEqual([]);
    const calls: string[] = [];
    process.log.stream({ ...poll, client }, plain, {
      onWaiting: () => calls.push('waiting'),
      onEvents: () => calls.push('events'),
      onEnded: () => calls.push('ended'),
      onFailed: () => calls.push('failed'),
    });
    await process.log.sweep();
    expect(calls).toEqual(['ended']);
    expect(process.log.metrics()).toMatchObject({ waiters: 1, streams: 0 });
    expect(client.listenerCount('close')).toBe(0);
    await process.change(realm, 1);
    expect(await pending).toMatchObject([{ n: 1 }]);
    await stopAll();
    await drop();
  });

  it('calls back exactly once, with events or an error', async () => {
    const { pool, drop } = await thingsPool();
    const [process, realm] = [new TestProcess(pool, uniqueName()), uniqueName()];
    await process.log.waitUntilStoreResponds();
    const { owner, queueId } = await TestClient.register(process, realm);
    const told: unknown[] = [];
    const response = {
      onEvents: (events: unknown) => told.push(events),
      onFailed: (error: unknown) => told.push(error),
    };
    const poll = { realm, owner, queueId, block: true, lastEventId: -1 };
    process.log.pollWithCallbacks(poll, plain, response);
    await until(() => process.log.metrics().waiters === 1);
    await process.change(realm, 1);
    await until(() => told.length === 1);
    expect(told).toMatchObject([[{ id: 100, n: 1 }]]);
    process.log.pollWithCallbacks({ ...poll, lastEventId: 0.5 }, plain, response);
    expect(told[1]).toBeInstanceOf(EventAheadError);
    process.log.pollWithCallbacks({ ...poll, owner: 'another' }, plain, response);
    await until(() => told.length === 3);
    expect(told[2]).toBeInstanceOf(BadEventQueueError);
    // A callback that throws does not affect the responses of other polls.
    const broken = await TestClient.register(process, realm);
    const whole = await TestClient.register(process, realm);
    const throwing = {
      ...response,
      onEvents: () => {
        throw new Error('the socket is gone');
      },
    };
    process.log.pollWithCallbacks(
      { realm, owner: broken.owner, queueId: broken.queueId, block: true, lastEventId: -1 },
      plain,
      throwing,
    );
    await until(() => process.log.metrics().waiters === 1);
    const responded = process.log.poll(
      { realm, owner: whole.owner, queueId: whole.queueId, block: true, lastEventId: -1 },
      plain,
    );
    await until(() => process.log.metrics().waiters === 2);
    await process.change(realm, 2);
    expect(await responded).toMatchObject([{ n: 2 }]);
    expect(told).toHaveLength(3);
    await stopAll();
    await drop();
  });

  it.each([
    ['is given it with its heartbeat', plain, [{ id: 100, type: 'thing' }]],
    ['fails with what the renderer throws at it', failingRenderer, BadEventQueueError],
  ])('ends at its deadline when no event arrived in time: %s', async (_case, render, expected) => {
    const { pool, drop } = await thingsPool();
    const [prefix, realm] = [uniqueName(), uniqueName()];
    const process = new TestProcess(pool, prefix, { heartbeatMs: 400 });
    const redis = new Redis(redisUrl);
    try {
      await process.log.waitUntilStoreResponds();
      const { owner, queueId } = await TestClient.register(process, realm);
      const poll = process.log.poll({ realm, owner, queueId, block: true, lastEventId: -1 }, render);
      const outcome = poll.catch((error: unknown) => error);
      await until(() => process.log.metrics().waiters === 1);
      // Appends like a dispatcher, but publishes nothing.
      const event = JSON.stringify({ event: { type: 'thing' } });
      await redis
        .multi()
        .xadd(`{${prefix}:${realm}}:log`, '1-0', 'o', '1', 'p', '0', 'a', '*', 'e', event)
        .hset(`{${prefix}:${realm}}:meta`, { epoch: 1, last: 1, floor: 0 })
        .exec();
      if (Array.isArray(expected)) expect(await outcome).toEqual(expected);
      else expect(await outcome).toBeInstanceOf(expected);
    } finally {
      redis.disconnect();
      await stopAll();
      await drop();
    }
  });
});
