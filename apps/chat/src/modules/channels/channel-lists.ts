import { setImmediate as nextTurn } from 'node:timers/promises';
import { JsonBytes, JsonRows } from '../../http/spliced-json.js';
import type { SqlReader } from '../../access/sql-reader.js';
import { model, type PartSource } from '../../snapshot-memory/index.js';
import { textKey } from '../../text-key.js';
import {
  listLiveFields,
  listStoredChannels,
  listSubscriberTexts,
  type LiveFields,
  type StoredChannel,
} from './channels.repository.js';
import { readChannelContext } from './read-wire-channels.js';
import { toWireChannel } from './to-wire-channel.js';

/** Fields of a channel that decide who is shown it, and where. */
export type ChannelFacts = Pick<
  StoredChannel,
  'is_archived' | 'is_private' | 'is_web_public' | 'is_default' | 'first_message_id' | 'subscriber_count'
> & { readonly nameKey: string };

/** All channels of a realm as JSON. Messages and subscriptions change `first_message_id` and `subscriber_count` too often. */
export interface ChannelLists {
  readonly rows: JsonRows;
  readonly facts: ReadonlyMap<number, ChannelFacts>;
}

/** Channels of one slice: their JSON takes some 10 ms, in which nothing else runs. */
const SLICE = 500;

/** All channels of a realm. */
export function channelListsSource(realmId: number): PartSource<ChannelLists> {
  return {
    key: JSON.stringify(['channels', realmId]),
    models: [model.channels, model.groups],
    async read(tx) {
      const facts = new Map<number, ChannelFacts>();
      const texts: { id: number; json: string }[] = [];
      for (let slice: StoredChannel[] = [], after = 0; after === 0 || slice.length === SLICE;) {
        slice = await listStoredChannels(tx, realmId, { after, limit: SLICE });
        const context = await readChannelContext(tx, realmId, slice);
        for (const row of slice) {
          texts.push({ id: row.id, json: JSON.stringify(toWireChannel(row, context)) });
          facts.set(row.id, factsOf(row));
        }
        await nextTurn();
        if (slice.length === 0) break;
        after = slice.at(-1)?.id ?? 0;
      }
      const rows = JsonRows.from(texts);
      return { value: { rows, facts }, byteLength: rows.byteLength + facts.size * 200 };
    },
  };
}

function factsOf(row: StoredChannel): ChannelFacts {
  return {
    is_archived: row.is_archived,
    is_private: row.is_private,
    is_web_public: row.is_web_public,
    is_default: row.is_default,
    first_message_id: row.first_message_id,
    subscriber_count: row.subscriber_count,
    nameKey: textKey(row.name),
  };
}

/** The subscribers of all channels of a realm as JSON arrays, by the channels' ids. */
export function subscribersSource(realmId: number): PartSource<ReadonlyMap<number, string>> {
  return {
    key: JSON.stringify(['subscribers', realmId]),
    models: [model.subscribers, model.users, model.channels],
    async read(tx) {
      const value = await listSubscriberTexts(tx, realmId);
      return { value, byteLength: [...value.values()].reduce((sum, text) => sum + text.length, 0) };
    },
  };
}

/** Channels of a realm as JSON, with the fields that change often as one statement has them. */
export class ChannelTexts {
  readonly #changed = new Map<number, string>();

  constructor(
    readonly lists: ChannelLists,
    live: readonly LiveFields[],
  ) {
    for (const { id, first_message_id, subscriber_count } of live) {
      const facts = lists.facts.get(id);
      if (facts?.first_message_id === first_message_id && facts.subscriber_count === subscriber_count) continue;
      const text = lists.rows.textOf(id);
      if (text === undefined) continue;
      this.#changed.set(id, JSON.stringify({ ...JSON.parse(text), first_message_id, subscriber_count }));
    }
  }

  /** The text of a channel; undefined when the lists are older than the channel. */
  textOf(id: number): string | undefined {
    return this.#changed.get(id) ?? this.lists.rows.textOf(id);
  }

  /** The channels of these ids, by id. */
  toJson(ids: ReadonlySet<number>): JsonBytes {
    return this.lists.rows.toJson(new Map([...this.#changed, ...absentFrom(this.lists.rows, ids)]));
  }
}

/** Replacements that leave out the rows of all other ids. */
export function absentFrom(rows: JsonRows, ids: ReadonlySet<number>): Map<number, null> {
  return new Map([...rows.ids].filter((id) => !ids.has(id)).map((id) => [id, null]));
}

/** Reads what of the channels changes often, for texts that are made of `lists`. */
export async function readChannelTexts(tx: SqlReader, realmId: number, lists: ChannelLists): Promise<ChannelTexts> {
  return new ChannelTexts(lists, await listLiveFields(tx, realmId));
}

/** The text of an object with fields added behind its own. */
export function withFields(text: string, fields: object): string {
  const added = JSON.stringify(fields);
  return added === '{}' ? text : `${text.slice(0, -1)},${added.slice(1)}`;
}
