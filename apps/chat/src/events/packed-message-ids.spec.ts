import { describe, expect, it } from 'vitest';
import {
  divideMessageIds,
  serializeEventsWithLongLists,
  halvePackedMessageIds,
  packedMessageIdListSchema,
  unpackMessageIds,
  packMessageIds,
} from './packed-message-ids.js';

describe('packMessageIds', () => {
  it.each([[[]], [[7]], [[7, 8, 1_000_000, 1_000_001]]])(
    'packs %j so that unpackMessageIds returns the same ids',
    (ids) => {
      const messageIds = packedMessageIdListSchema.parse(packMessageIds(ids));
      expect(unpackMessageIds({ messageIds })).toEqual(ids);
    },
  );

  it('stores differences between adjacent ids', () => {
    expect(packMessageIds([100, 101, 103])).toBe('100,1,2');
  });
});

describe('unpackMessageIds', () => {
  it('returns the ids of an entry that an earlier version wrote', () => {
    expect(unpackMessageIds({ messageIds: packedMessageIdListSchema.parse([3, 5]) })).toEqual([3, 5]);
  });

  it('returns the same array for repeated calls with the same payload', () => {
    const payload = { messageIds: packMessageIds([3, 5]) };
    expect(unpackMessageIds(payload)).toBe(unpackMessageIds(payload));
  });
});

describe('divideMessageIds', () => {
  it('divides message ids into several lists of limited length', () => {
    expect(divideMessageIds([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
    expect(divideMessageIds([1, 2], 2)).toEqual([[1, 2]]);
  });
});

describe('halvePackedMessageIds', () => {
  it('divides a list of two or more ids into two lists, and returns null for one id', () => {
    expect(halvePackedMessageIds({ messageIds: packMessageIds([4, 6, 9]) })).toEqual(['4,2', '9']);
    expect(halvePackedMessageIds({ messageIds: packMessageIds([4]) })).toBeNull();
  });
});

describe('serializeEventsWithLongLists', () => {
  const payload = { messageIds: packMessageIds(Array.from({ length: 300 }, (_, index) => 5 + 2 * index)) };
  const eventOf = (id: number) => ({
    type: 'delete_message',
    message_ids: unpackMessageIds(payload),
    topic: 'Ä "b"',
    id,
  });

  it('produces the same JSON text as JSON.stringify', () => {
    const events = [{ type: 'heartbeat', id: 1 }, eventOf(2), { type: 'update_message', message_ids: [7], id: 3 }];
    const json = serializeEventsWithLongLists(events);
    const bytes = Buffer.concat([...(json?.chunks ?? [])]);
    expect(bytes.toString()).toBe(JSON.stringify(events));
    expect(json?.byteLength).toBe(bytes.length);
  });

  it('serializes a list of ids once for all queues', () => {
    const [first, second] = [eventOf(2), eventOf(9)].map((event) => [
      ...(serializeEventsWithLongLists([event])?.chunks ?? []),
    ]);
    const list = first?.find((chunk) => chunk.toString() === JSON.stringify(unpackMessageIds(payload)));
    expect(list).toBeInstanceOf(Buffer);
    expect(second).toContain(list);
  });

  it('returns null if no event contains a long list of message ids', () => {
    expect(serializeEventsWithLongLists([{ type: 'update_message', message_ids: [7], id: 3 }])).toBeNull();
    expect(serializeEventsWithLongLists([])).toBeNull();
  });
});
