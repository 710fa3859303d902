import { EntryTooLongError, type NewLogEntry } from '@switchboard/queue';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { flagsRemoveEvent } from '../features/message-flags/message-flags.events.js';
import { ChatEventWriter } from './chat-events.js';
import { defineEventType, createPayloadDividerByLists } from './define-event-type.js';

/**
 * A transaction whose methods always throw. Tests use this transaction for code that must not execute an SQL statement.
 */
const tx = {
  prisma: undefined,
  query: () => Promise.reject(new Error('No statement is expected')),
  isOpen: true,
  addCommitCheck: () => {},
};

const divisibleEvent = defineEventType({
  name: 'divisible',
  audience: 'All.',
  payload: z.strictObject({ few: z.array(z.int()), many: z.array(z.int()), kept: z.string() }),
  count: ({ many }) => many.length,
  divide: createPayloadDividerByLists('few', 'many'),
});
const indivisibleEvent = defineEventType({
  name: 'whole',
  audience: 'All.',
  payload: z.strictObject({ text: z.string() }),
});

/**
 * Returns a writer of events with a maximum entry length for its event log. Also returns the list of entries that the
 * writer has written.
 */
function eventsWithLimit(maxLength: number) {
  const written: NewLogEntry[] = [];
  const write = (_tx: unknown, entry: NewLogEntry) => {
    const { length } = JSON.stringify(entry.event);
    if (length > maxLength) throw new EntryTooLongError(length, maxLength);
    written.push(entry);
  };
  return { events: new ChatEventWriter({ write }, { NODE_ENV: 'test' }), written };
}

describe('ChatEventWriter.write', () => {
  it('divides an event at the longest list of its payload into smaller events, and preserves the order', () => {
    const { events, written } = eventsWithLimit(100);
    const payload = { few: [1], many: Array.from({ length: 20 }, (_, index) => index), kept: 'x' };
    events.write(tx, 1, divisibleEvent, { audience: { users: [5] }, payload });
    expect(written.length).toBeGreaterThan(1);
    const parts = written.map(({ event }) => z.object({ payload: divisibleEvent.payload }).parse(event).payload);
    expect(parts.flatMap(({ many }) => many)).toEqual(payload.many);
    expect(parts.every(({ few, kept }) => few[0] === 1 && kept === 'x')).toBe(true);
    expect(written.map(({ weight }) => weight)).toEqual(parts.map(({ many }) => many.length));
    expect(written.every(({ audience }) => JSON.stringify(audience) === '{"users":[5]}')).toBe(true);
  });

  it('throws BAD_REQUEST for an event that cannot be divided', () => {
    const { events, written } = eventsWithLimit(100);
    const event = { audience: { all: true } as const, payload: { text: 'x'.repeat(200) } };
    expect(() => events.write(tx, 1, indivisibleEvent, event)).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', status: 400 }),
    );
    expect(written).toEqual([]);
  });
});

describe('flagsRemoveEvent.divide', () => {
  it('retains the details of each unread message with its id', () => {
    const unread = [1, 2, 3].map((id) => ({ id, mentioned: false, muted: false, channel: null, userIds: [9] }));
    expect(flagsRemoveEvent.dividePayload({ flag: 'read', messageIds: [1, 2, 3], unread })).toEqual([
      { flag: 'read', messageIds: [1, 2], unread: unread.slice(0, 2) },
      { flag: 'read', messageIds: [3], unread: unread.slice(2) },
    ]);
  });
});
