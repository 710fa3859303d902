import { setImmediate as nextTurn } from 'node:timers/promises';
import { type IndexedJsonRows, JsonRowsBuilder } from '../../infra/http/indexed-json-rows.js';
import {
  type DerivedDataSource,
  snapshotDataModelNumbers,
  type SnapshotDataSource,
} from '../../events/snapshot-memory/index.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { listStoredChannels, type FrequentlyChangedChannelFields, type StoredChannel } from './channels.repository.js';
import { readChannelPermissionGroups } from './read-wire-channels.js';
import { toWireChannel } from './convert-to-wire-channel.js';

/** Channel fields from which a response derives whether a user sees the channel, and which lists contain it. */
export type ChannelVisibilityFields = Pick<
  StoredChannel,
  'is_archived' | 'is_private' | 'is_web_public' | 'is_default' | 'first_message_id' | 'subscriber_count'
> & { readonly nameKey: string };

/**
 * Cached JSON of all channels of a realm, for POST /register. The fields `first_message_id` and `subscriber_count` are
 * replaced later, because messages and subscriptions change these fields too often for the cache.
 */
export interface CachedRealmChannelJson {
  readonly rows: IndexedJsonRows;
  readonly facts: ReadonlyMap<number, ChannelVisibilityFields>;
}

/**
 * Number of channels that are read at a time, before the event loop may run other work. Serializing the JSON of these
 * channels takes about 10 ms.
 */
const CHANNELS_READ_BETWEEN_PAUSES = 500;

/** Returns the query with which the cache of snapshot data reads all channels of a realm. */
export function createRealmChannelsDataSource(realmId: number): SnapshotDataSource<CachedRealmChannelJson> {
  return {
    key: JSON.stringify(['channels', realmId]),
    models: [snapshotDataModelNumbers.channels, snapshotDataModelNumbers.groups],
    async read(tx) {
      const facts = new Map<number, ChannelVisibilityFields>();
      const builder = new JsonRowsBuilder();
      for (let slice: StoredChannel[] = [], after = 0; after === 0 || slice.length === CHANNELS_READ_BETWEEN_PAUSES;) {
        slice = await listStoredChannels(tx, realmId, { after, limit: CHANNELS_READ_BETWEEN_PAUSES });
        const context = await readChannelPermissionGroups(tx, realmId, slice);
        builder.appendRows(slice.map((row) => ({ id: row.id, json: JSON.stringify(toWireChannel(row, context)) })));
        for (const row of slice) facts.set(row.id, selectChannelVisibilityFields(row));
        await nextTurn();
        if (slice.length === 0) break;
        after = slice.at(-1)?.id ?? 0;
      }
      const rows = builder.buildIndexedRows();
      return { value: { rows, facts }, byteLength: rows.byteLength + facts.size * 200 };
    },
  };
}

function selectChannelVisibilityFields(row: StoredChannel): ChannelVisibilityFields {
  return {
    is_archived: row.is_archived,
    is_private: row.is_private,
    is_web_public: row.is_web_public,
    is_default: row.is_default,
    first_message_id: row.first_message_id,
    subscriber_count: row.subscriber_count,
    nameKey: normalizeTextForComparison(row.name),
  };
}

/** JSON of a realm's channels with current values of the fields that change often. */
export interface ChannelJsonTexts {
  readonly lists: CachedRealmChannelJson;
  readonly rows: IndexedJsonRows;
}

/**
 * Returns the computation with which the cache of snapshot data adds the frequently changing fields to cached
 * channels.
 */
export function createChannelTextsDataSource(
  realmId: number,
  lists: CachedRealmChannelJson,
  live: readonly FrequentlyChangedChannelFields[],
): DerivedDataSource<ChannelJsonTexts> {
  const changed = createFrequentlyChangedFieldsJson(lists, live);
  return {
    key: JSON.stringify(['channel texts', realmId]),
    inputs: [lists, JSON.stringify(changed)],
    make() {
      const rows = lists.rows.copyWithReplacedRows(createChangedChannelTexts(lists, changed));
      return { value: { lists, rows }, byteLength: rows === lists.rows ? 0 : rows.byteLength };
    },
  };
}

/**
 * Returns the JSON text of each channel in `live` by channel id, with current values of the frequently changing fields.
 * Omits channels that are not in `lists`.
 */
export function createCurrentChannelTexts(
  lists: CachedRealmChannelJson,
  live: readonly FrequentlyChangedChannelFields[],
): Map<number, string> {
  const changed = createChangedChannelTexts(lists, createFrequentlyChangedFieldsJson(lists, live));
  return new Map(
    live.flatMap(({ id }) => {
      const text = changed.get(id) ?? lists.rows.getRowText(id);
      return text === undefined ? [] : [[id, text] as const];
    }),
  );
}

function createFrequentlyChangedFieldsJson(
  lists: CachedRealmChannelJson,
  live: readonly FrequentlyChangedChannelFields[],
): FrequentlyChangedChannelFields[] {
  return live.filter(({ id, first_message_id, subscriber_count }) => {
    const facts = lists.facts.get(id);
    return (
      facts !== undefined &&
      (facts.first_message_id !== first_message_id || facts.subscriber_count !== subscriber_count)
    );
  });
}

function createChangedChannelTexts(
  lists: CachedRealmChannelJson,
  changed: readonly FrequentlyChangedChannelFields[],
): Map<number, string> {
  return new Map(
    changed.map(({ id, ...fields }) => {
      const stored = JSON.parse(lists.rows.getRowText(id) ?? '{}') as object;
      return [id, JSON.stringify({ ...stored, ...fields })];
    }),
  );
}

export function appendFieldsToJsonObject(text: string, fields: object): string {
  const added = JSON.stringify(fields);
  return added === '{}' ? text : `${text.slice(0, -1)},${added.slice(1)}`;
}
