import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audienceIncludes, packAudience, unpackAudience } from '../src/event-log/audience.js';
import { eventId, heartbeatId, IDS_PER_UNIT, positionOf } from '../src/event-log/event-ids.js';
import { LogEntry } from '../src/event-log/log-entry.js';
import { QueueView } from '../src/event-log/queue-view.js';
import { Tail } from '../src/event-log/tail.js';

const users = fc.array(fc.integer({ min: 0, max: 0xffff_ffff }), { maxLength: 200 });

describe('audience', () => {
  it('packs and unpacks any set of users', () => {
    fc.assert(
      fc.property(users, fc.integer({ min: 0, max: 0xffff_ffff }), (ids, other) => {
        const packed = unpackAudience(packAudience({ users: ids }));
        expect([...packed.users]).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
        for (const id of ids) expect(audienceIncludes(packed, id, [])).toBe(true);
        expect(audienceIncludes(packed, other, [])).toBe(ids.includes(other));
      }),
    );
  });

  it('needs under 14 kB for 10,000 neighbouring users', () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => 5_000 + n);
    expect(packAudience({ users: ids }).length).toBeLessThan(14_000);
  });

  it('refuses what is no user id and no role name', () => {
    expect(() => packAudience({ users: [-1] })).toThrow('Audience user -1');
    expect(() => packAudience({ users: [1.5] })).toThrow('Audience user 1.5');
    expect(() => packAudience({ roles: ['a,b'] })).toThrow('Audience role');
  });
});

describe('event ids', () => {
  it('of an event are greater than any id before it, heartbeats included (I6)', () => {
    const step = fc.record({ gap: fc.integer({ min: 0, max: 5 }), beats: fc.integer({ min: 0, max: 150 }) });
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.array(step, { maxLength: 20 }), (start, steps) => {
        let [lastId, examined] = [-1, start];
        for (const { gap, beats } of steps) {
          for (let beat = 0; beat < beats; beat += 1) {
            const id = heartbeatId(start, lastId, examined);
            if (id === 'tick') examined += 1;
            else if (id !== 'hold') {
              expect(id).toBeGreaterThan(lastId);
              expect(positionOf(start, id).unit).toBe(examined);
              lastId = id;
            }
          }
          examined += gap + 1;
          const id = eventId(start, examined);
          expect(id).toBeGreaterThan(lastId);
          expect(positionOf(start, id)).toEqual({ unit: examined, beats: 0 });
          lastId = id;
        }
      }),
    );
  });

  it('hold a heartbeat where this process has not seen as far as the client, and tick when all are used', () => {
    expect(heartbeatId(10, 500, 12)).toBe('hold');
    expect(heartbeatId(10, 200 + IDS_PER_UNIT - 1, 12)).toBe('tick');
    expect(heartbeatId(10, -1, 10)).toBe(1);
  });
});

describe('tail', () => {
  const audience = packAudience({ users: [5] });
  const entry = (unit: number): LogEntry =>
    new LogEntry(unit, unit - 1, String(unit), unpackAudience(audience), '{"event":{}}');

  it('is a chain: it takes what follows on its end, ignores what it has and refuses a hole (I2)', () => {
    const tail = new Tail(3);
    expect([4, 5, 4, 7].map((unit) => tail.push(entry(unit)))).toEqual([true, true, true, false]);
    expect([...tail.after(4)].map((e) => e.unit)).toEqual([5]);
    tail.dropOldest();
    expect([tail.base, tail.end, tail.size]).toEqual([4, 5, 1]);
  });

  it('lets a queue skip 100,000 entries of others within 50 ms', () => {
    const tail = new Tail(0);
    for (let unit = 1; unit <= 100_000; unit += 1) tail.push(entry(unit));
    const queue = { id: 'q', realm: 'r', owner: '6', user: 6, roles: [], start: 0, filter: {}, capabilities: {} };
    const view = new QueueView(queue, new Set(), 0, () => [{}]);
    const began = performance.now();
    for (const one of tail.after(0)) view.examine(one);
    expect(performance.now() - began).toBeLessThan(50);
    expect([view.events.length, view.examined]).toEqual([0, 100_000]);
  });
});
