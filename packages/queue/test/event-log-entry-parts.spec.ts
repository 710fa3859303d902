import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInAudience, encodeAudience, parseCachedAudience, AudienceUserIds } from '../src/event-log/audience.js';
import { toEventId, toHeartbeatId, EVENT_IDS_PER_LOG_POSITION, toClientPosition } from '../src/event-log/event-ids.js';
import { LogEntry } from '../src/event-log/log-entry.js';
import { EventQueueEntryExaminer } from '../src/event-log/event-queue-view.js';
import { RecentLogEntries } from '../src/event-log/recent-log-entries.js';

const users = fc.array(fc.integer({ min: 0, max: 0xffff_ffff }), { maxLength: 200 });

describe('audience of a log entry', () => {
  it('stays the same when encoded and decoded, for any set of users', () => {
    fc.assert(
      fc.property(users, fc.integer({ min: 0, max: 0xffff_ffff }), (ids, other) => {
        const packed = parseCachedAudience(encodeAudience({ users: ids }));
        expect([...packed.users]).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
        for (const id of ids) expect(isInAudience(packed, id, [])).toBe(true);
        expect(isInAudience(packed, other, [])).toBe(ids.includes(other));
      }),
    );
  });

  it('has an encoded text of less than 14 kB for 10,000 users with adjacent ids', () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => 5_000 + n);
    expect(encodeAudience({ users: ids }).length).toBeLessThan(14_000);
  });

  it('has the same encoded text for a set of users as for a list of the same users', () => {
    const ids = [3, 4, 200, 70_000, 4_294_967_295];
    const set = new AudienceUserIds(Uint32Array.from(ids));
    expect(encodeAudience({ users: set, roles: ['a'] })).toBe(encodeAudience({ users: ids, roles: ['a'] }));
    expect(encodeAudience({ users: set })).toBe(encodeAudience({ users: ids }));
  });

  it('rejects invalid user ids and role names', () => {
    expect(() => encodeAudience({ users: [-1] })).toThrow('Audience user -1');
    expect(() => encodeAudience({ users: [1.5] })).toThrow('Audience user 1.5');
    expect(() => encodeAudience({ users: ['a,b'] })).toThrow('Audience user "a,b" is not a user id');
    expect(() => encodeAudience({ users: [''] })).toThrow('Audience user ""');
    expect(() => encodeAudience({ roles: ['a,b'] })).toThrow('Audience role');
    expect(() => encodeAudience({ roles: ['@ann'] })).toThrow('Audience role');
  });

  it('survives encoding and decoding for all kinds of owners', () => {
    const text = fc.stringMatching(/^[A-Za-z._:@+-][A-Za-z0-9._:@+-]{0,40}$/);
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), users, text, (texts, ids, other) => {
        const packed = parseCachedAudience(encodeAudience({ users: [...texts, ...ids], roles: ['mods'] }));
        expect(packed.userTexts).toEqual([...new Set(texts)]);
        expect(packed.roles).toEqual(['mods']);
        expect(packed.users.length).toBe(new Set(ids).size);
        for (const id of texts) expect(isInAudience(packed, id, [])).toBe(true);
        expect(isInAudience(packed, other, [])).toBe(texts.includes(other));
        expect(isInAudience(packed, null, [`@${texts[0] ?? ''}`])).toBe(false);
      }),
    );
  });

  it('has the same encoded text for an integer id as for the id as text without leading zeros', () => {
    expect(encodeAudience({ users: ['12', 7] })).toBe(encodeAudience({ users: [7, 12] }));
    const texts = ['0042', '5123456789', '4294967296'];
    expect(parseCachedAudience(encodeAudience({ users: [...texts, 42] }))).toMatchObject({ userTexts: texts });
  });
});

/**
 * A client that polls processes with incomplete copies of a random log, acknowledges some events, and checks the events
 * that it receives.
 */
class ModelClient {
  readonly faults: string[] = [];
  /** Names of the received events, by the event id that the first delivery of the event had. */
  readonly names = new Map<number, string>();
  /** Names of all events for the client, in order. */
  readonly expected: string[] = [];
  private readonly entries: LogEntry[] = [];
  /** Received event ids in order. The server must reject polls from an id before `acknowledged`. */
  private readonly received = [-1];
  private acknowledged = 0;

  constructor(private readonly start: number) {}

  append(weight: number, mine: boolean): void {
    const previous = this.entries.at(-1)?.unit ?? this.start;
    const audience = parseCachedAudience(encodeAudience({ users: mine ? [7] : [] }));
    const entry = new LogEntry(previous + weight, previous, String(previous), audience, '{"event":{}}');
    this.entries.push(entry);
    if (mine) for (let j = 1; j <= weight; j += 1) this.expected.push(`unit ${previous + j}`);
  }

  /**
   * Polls for events at a process that lacks the last `lag` entries of the log. The poll starts from the event id that
   * was received `back` events before the last event.
   */
  poll(lag: number, back: number): void {
    this.acknowledged = Math.max(this.acknowledged, this.received.length - 1 - back);
    const from = this.received[this.acknowledged] ?? -1;
    const { unit } = toClientPosition(this.start, from);
    const { start } = this;
    const queue = { id: 'q', realm: 'r', owner: '7', user: 7, roles: [], start, filter: {}, capabilities: {} };
    const view = new EventQueueEntryExaminer(queue, new Set(), unit, (entry) =>
      Array.from({ length: entry.weight }, (_, j) => ({ name: `unit ${entry.previousUnit + 1 + j}` })),
    );
    const seen = this.entries.slice(0, this.entries.length - lag);
    for (const entry of seen) view.examineEntry(entry);
    if (view.events.length > 0) {
      for (const { id, name } of view.events) this.receive(id, String(name), from);
      return;
    }
    const examined = seen.at(-1)?.unit ?? start;
    const id = toHeartbeatId(start, from, examined);
    if (id === 'tick') this.append(1, false);
    else if (id === 'hold') this.check(examined < unit, `held at ${examined} for ${unit}`);
    else this.receive(id, null, from);
  }

  private receive(id: number, name: string | null, from: number): void {
    this.check(id > from, `${id} after ${from}`);
    this.check(
      toEventId(this.start, toClientPosition(this.start, id).unit, id % EVENT_IDS_PER_LOG_POSITION) === id,
      `${id} has no inverse`,
    );
    if (name !== null) {
      this.check((this.names.get(id) ?? name) === name, `${id} was ${this.names.get(id)}, is ${name}`);
      if (!this.names.has(id)) this.names.set(id, name);
    }
    if (id > (this.received.at(-1) ?? -1)) this.received.push(id);
  }

  private check(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(fault);
  }
}

describe('ids of events and heartbeats', () => {
  const poll = fc.record({ lag: fc.nat(3), back: fc.nat(3) });
  const step = fc.record({
    weight: fc.integer({ min: 1, max: 4 }),
    mine: fc.boolean(),
    polls: fc.array(poll, { maxLength: 12 }),
    beats: fc.integer({ min: 0, max: 250 }),
  });

  it('increase, and are never reused (I6)', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.array(step, { maxLength: 12 }), (start, steps) => {
        const client = new ModelClient(start);
        for (const { weight, mine, polls, beats } of steps) {
          client.append(weight, mine);
          for (const { lag, back } of polls) client.poll(lag, back);
          for (let beat = 0; beat < beats; beat += 1) client.poll(0, 0);
        }
        client.poll(0, 0);
        expect(client.faults).toEqual([]);
        expect([...client.names.values()]).toEqual([...new Set(client.expected)]);
      }),
    );
  });

  it('include no heartbeat id while the process has read less of the log than the client', () => {
    expect(toHeartbeatId(10, 500, 12)).toBe('hold');
    expect(toHeartbeatId(10, 200 + EVENT_IDS_PER_LOG_POSITION - 1, 12)).toBe('tick');
    expect(toHeartbeatId(10, -1, 10)).toBe(1);
  });
});

describe('RecentRealmLog', () => {
  const audience = encodeAudience({ users: [5] });
  const entry = (unit: number): LogEntry =>
    new LogEntry(unit, unit - 1, String(unit), parseCachedAudience(audience), '{"event":{}}');

  it('accepts the next entry, ignores known entries and rejects a gap (I2)', () => {
    const tail = new RecentLogEntries(3);
    expect([4, 5, 4, 7].map((unit) => tail.addNextLogEntry(entry(unit)))).toEqual([true, true, true, false]);
    const shown: number[] = [];
    tail.visitEntriesAfter(4, ({ unit }) => shown.push(unit));
    expect(shown).toEqual([5]);
  });

  it('retains headers of evicted entries within a quarter of its memory limit', () => {
    // The other entries share the audience of this one.
    entry(0);
    const tail = new RecentLogEntries(0);
    for (let unit = 1; unit <= 8; unit += 1) tail.addNextLogEntry(entry(unit));
    const known = (): unknown => {
      const headers: number[] = [];
      const entries: number[] = [];
      tail.visitHeadersAfter(tail.headersBase, ({ unit }) => headers.push(unit));
      tail.visitEntriesAfter(tail.base, ({ unit }) => entries.push(unit));
      return [tail.headersBase, headers, tail.base, entries];
    };
    const sizes = [tail.memoryBytes];
    const shrink = (): unknown => {
      tail.freeMemoryOfOldestEntry();
      sizes.push(tail.memoryBytes);
      return known();
    };
    expect(known()).toEqual([0, [], 0, [1, 2, 3, 4, 5, 6, 7, 8]]);
    expect(shrink()).toEqual([0, [1], 1, [2, 3, 4, 5, 6, 7, 8]]);
    for (let n = 0; n < 3; n += 1) shrink();
    expect(known()).toEqual([0, [1, 2, 3, 4], 4, [5, 6, 7, 8]]);
    expect(shrink()).toEqual([1, [2, 3, 4], 4, [5, 6, 7, 8]]);
    for (let n = 0; n < 12; n += 1) shrink();
    expect(known()).toEqual([8, [], 8, []]);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(tail.memoryBytes).toBe(0);
    expect([tail.addNextLogEntry(entry(10)), tail.addNextLogEntry(entry(9))]).toEqual([false, true]);
  });

  it('counts the memory of an audience once when several entries share the audience', () => {
    const own = (unit: number, users: number[]): LogEntry =>
      new LogEntry(unit, unit - 1, String(unit), parseCachedAudience(encodeAudience({ users })), '{"event":{}}');
    const users = [900_001, 900_002];
    const [first, second] = [own(1, users), own(2, users)];
    expect(first.bytes - second.bytes).toBeGreaterThan(users.length * 4);
    expect(first.headerBytes - second.headerBytes).toBe(first.bytes - second.bytes);
  });

  it('lets a queue skip 100,000 entries of other users within 50 ms', () => {
    const tail = new RecentLogEntries(0);
    for (let unit = 1; unit <= 100_000; unit += 1) tail.addNextLogEntry(entry(unit));
    const queue = { id: 'q', realm: 'r', owner: '6', user: 6, roles: [], start: 0, filter: {}, capabilities: {} };
    // The minimum of several runs, because other tests may use the processor meanwhile.
    const times = Array.from({ length: 12 }, () => {
      const view = new EventQueueEntryExaminer(queue, new Set(), 0, () => [{}]);
      const began = performance.now();
      tail.visitEntriesAfter(0, (one) => view.examineEntry(one));
      expect([view.events.length, view.examined]).toEqual([0, 100_000]);
      return performance.now() - began;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });
});
