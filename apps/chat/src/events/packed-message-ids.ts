import { z } from 'zod';
import { JsonBytes, serializeResponseBodyToChunks } from '../infra/http/json-byte-chunks.js';

/** Maximum number of message ids in one entry of the event log. */
export const maxMessageIdsPerEntry = 10_000;

/**
 * Schema of ascending message ids in an event payload: the first id, then the difference between each id and the
 * previous id. The ids of one topic are close together, so that 10,000 ids take about 30 kB. Entries of earlier
 * versions contain the ids as an array.
 */
export const packedMessageIdListSchema = z.union([z.string().regex(/^(\d+(,\d+)*)?$/), z.array(z.int())]);

/** A list of message ids as event payloads store it. */
export type PackedMessageIdList = z.infer<typeof packedMessageIdListSchema>;

/** Converts ascending message ids to the compact form that event payloads store. */
export function packMessageIds(ids: readonly number[]): string {
  return ids.map((id, index) => id - (ids[index - 1] ?? 0)).join(',');
}

/** Cache of unpacked message ids by payload. All event queues of a process share this cache. */
const unpackedMessageIdsCache = new WeakMap<object, number[]>();

/**
 * Returns the message ids of an event payload. All callers with the same payload receive the same array, so callers
 * must not change the array.
 */
export function unpackMessageIds(payload: { readonly messageIds: PackedMessageIdList }): number[] {
  const { messageIds } = payload;
  if (typeof messageIds !== 'string') return messageIds;
  const known = unpackedMessageIdsCache.get(payload);
  if (known !== undefined) return known;
  const ids = decodeMessageIdGaps(messageIds);
  unpackedMessageIdsCache.set(payload, ids);
  return ids;
}

/**
 * Minimum number of message ids in a list whose JSON text is cached for all event queues. Serializing a shorter list
 * takes no longer than a cache lookup.
 */
const minCachedMessageIds = 100;

const messageIdsJsonByPayload = new WeakMap<object, JsonBytes>();

/**
 * Returns the cached JSON text of a message id list that {@link unpackMessageIds} has returned. Returns null for a
 * short list, which is not cached.
 */
function getCachedMessageIdsJson(ids: unknown): JsonBytes | null {
  if (!Array.isArray(ids) || ids.length < minCachedMessageIds) return null;
  const known = messageIdsJsonByPayload.get(ids);
  if (known !== undefined) return known;
  const json = JsonBytes.fromJsonText(JSON.stringify(ids));
  messageIdsJsonByPayload.set(ids, json);
  return json;
}

/**
 * Serializes client events to JSON, with the same result as `JSON.stringify`. Returns null if no event contains a long
 * list of message ids.
 */
export function serializeEventsWithLongLists(events: readonly Readonly<Record<string, unknown>>[]): JsonBytes | null {
  if (!events.some((event) => getCachedMessageIdsJson(event['message_ids']) !== null)) return null;
  return JsonBytes.fromJoinedArrayValues(
    events.map((event) => serializeEventWithLongList(event) ?? JsonBytes.fromJsonText(JSON.stringify(event))),
  );
}

/**
 * Serializes one client event to JSON, see {@link serializeEventsWithLongLists}. Returns null if the event contains no
 * long list of message ids.
 */
export function serializeEventWithLongList(event: Readonly<Record<string, unknown>>): JsonBytes | null {
  const ids = getCachedMessageIdsJson(event['message_ids']);
  return ids && serializeResponseBodyToChunks({ ...event, message_ids: ids });
}

/** Divides ascending message ids into lists, each of which fits into one event log entry. */
export function divideMessageIds(ids: readonly number[], most = maxMessageIdsPerEntry): (readonly number[])[] {
  if (ids.length <= most) return [ids];
  return Array.from({ length: Math.ceil(ids.length / most) }, (_, part) => ids.slice(part * most, (part + 1) * most));
}

/**
 * Divides the message ids of a payload into two halves, in the form that event payloads store. Returns null if the
 * payload has fewer than two ids.
 */
export function halvePackedMessageIds(payload: {
  readonly messageIds: PackedMessageIdList;
}): readonly [string, string] | null {
  const ids = unpackMessageIds(payload);
  if (ids.length < 2) return null;
  const middle = Math.ceil(ids.length / 2);
  return [packMessageIds(ids.slice(0, middle)), packMessageIds(ids.slice(middle))];
}

function decodeMessageIdGaps(gaps: string): number[] {
  if (gaps === '') return [];
  let id = 0;
  return gaps.split(',').map((gap) => (id += Number(gap)));
}
