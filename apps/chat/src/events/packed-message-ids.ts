import { z } from 'zod';
import { JsonBytes, serializeWithJsonBytes } from '../infra/http/json-byte-chunks.js';

/** Maximum number of message ids in one entry of the event log. */
export const maxMessagesPerEntry = 10_000;

/**
 * Schema of ascending message ids in an event payload: the first id, then the difference of each id from the previous
 * one. Ids of a topic are close together, so that 10,000 of them take about 30 kB. Entries of earlier versions contain
 * the ids as an array.
 */
export const messageIdListSchema = z.union([z.string().regex(/^(\d+(,\d+)*)?$/), z.array(z.int())]);

/** A list of message ids as stored in an event payload. */
export type MessageIdList = z.infer<typeof messageIdListSchema>;

/** Converts ascending message ids to the form that event payloads store. */
export function packMessageIds(ids: readonly number[]): string {
  return ids.map((id, index) => id - (ids[index - 1] ?? 0)).join(',');
}

/** Cache of unpacked message ids by payload, shared by all event queues of a process. */
const unpackedMessageIdsCache = new WeakMap<object, number[]>();

/**
 * Returns the message ids of an event payload. All callers with the same payload get the same array, so it must not be
 * changed.
 */
export function unpackMessageIds(payload: { readonly messageIds: MessageIdList }): number[] {
  const { messageIds } = payload;
  if (typeof messageIds !== 'string') return messageIds;
  const known = unpackedMessageIdsCache.get(payload);
  if (known !== undefined) return known;
  const ids = decodeIdGaps(messageIds);
  unpackedMessageIdsCache.set(payload, ids);
  return ids;
}

/**
 * Minimum number of message ids whose JSON is cached for all event queues. For a shorter list, writing the JSON takes
 * no longer than a lookup.
 */
const minCachedMessageIds = 100;

const messageIdsJsonByPayload = new WeakMap<object, JsonBytes>();

/**
 * Returns the JSON of a list that {@link unpackMessageIds} has returned, cached for all event queues. Returns null for a
 * short list.
 */
function cachedMessageIdsJson(ids: unknown): JsonBytes | null {
  if (!Array.isArray(ids) || ids.length < minCachedMessageIds) return null;
  const known = messageIdsJsonByPayload.get(ids);
  if (known !== undefined) return known;
  const json = JsonBytes.fromJson(JSON.stringify(ids));
  messageIdsJsonByPayload.set(ids, json);
  return json;
}

/**
 * Returns events as JSON, with the same result as `JSON.stringify`. Returns null if no event contains a long list of
 * message ids.
 */
export function eventsWithLongIdLists(events: readonly Readonly<Record<string, unknown>>[]): JsonBytes | null {
  if (!events.some((event) => cachedMessageIdsJson(event['message_ids']) !== null)) return null;
  return JsonBytes.fromValues(
    events.map((event) => eventWithLongIdList(event) ?? JsonBytes.fromJson(JSON.stringify(event))),
  );
}

/** Returns an event as JSON like {@link eventsWithLongIdLists}, or null if it has no long list of message ids. */
export function eventWithLongIdList(event: Readonly<Record<string, unknown>>): JsonBytes | null {
  const ids = cachedMessageIdsJson(event['message_ids']);
  return ids && serializeWithJsonBytes({ ...event, message_ids: ids });
}

/** Divides ascending message ids into lists that fit into one log entry each. */
export function divideMessageIds(ids: readonly number[], most = maxMessagesPerEntry): (readonly number[])[] {
  if (ids.length <= most) return [ids];
  return Array.from({ length: Math.ceil(ids.length / most) }, (_, part) => ids.slice(part * most, (part + 1) * most));
}

/**
 * Returns the two halves of a payload's message ids as event payloads store them. Returns null if there are fewer than
 * two ids.
 */
export function halveMessageIds(payload: { readonly messageIds: MessageIdList }): readonly [string, string] | null {
  const ids = unpackMessageIds(payload);
  if (ids.length < 2) return null;
  const middle = Math.ceil(ids.length / 2);
  return [packMessageIds(ids.slice(0, middle)), packMessageIds(ids.slice(middle))];
}

function decodeIdGaps(gaps: string): number[] {
  if (gaps === '') return [];
  let id = 0;
  return gaps.split(',').map((gap) => (id += Number(gap)));
}
