import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { isGuest } from '../../access/actor.js';
import type { SqlReader } from '../../access/sql-reader.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/snapshot-part.js';
import { JsonBytes, JsonRows } from '../../http/spliced-json.js';
import { snapshotOwnSettings, snapshotOwnUser } from '../users/index.js';
import {
  absentFrom,
  channelListsSource,
  type ChannelTexts,
  readChannelTexts,
  subscribersSource,
  withFields,
} from './channel-lists.js';
import { type ChannelSight, listChannelSights } from './channels.repository.js';
import { listLikelySubscribers } from './likely-subscribers.repository.js';
import { asMySettings, toWirePreferences } from './to-wire-channel.js';
import { wireChannel, wireNeverSubscribed, wireSubscription } from './wire-channel.js';

/** The channels that the actor may know of, archived ones for clients that know them. Read once a registration. */
interface KnownChannels {
  readonly sights: readonly ChannelSight[];
  readonly ids: ReadonlySet<number>;
  readonly texts: ChannelTexts;
}

function snapshotChannels(context: SnapshotContext): Promise<KnownChannels> {
  return context.shared(readChannels);
}

async function readChannels({ tx, parts, actor, form }: SnapshotContext): Promise<KnownChannels> {
  const { realmId } = actor;
  const lists = await parts.get(channelListsSource(realmId));
  const texts = await parts.once(`channel texts ${realmId}`, (reader) => readChannelTexts(reader, realmId, lists));
  const all = await listChannelSights(tx, actor);
  const sights = form.client_capabilities.archived_channels
    ? all
    : all.filter(({ id }) => lists.facts.get(id)?.is_archived !== true);
  return { sights, ids: new Set(sights.map(({ id }) => id)), texts };
}

const channelsPart = defineSnapshotPart({
  types: ['stream'],
  shape: { streams: z.array(wireChannel) },
  async read(context) {
    const { ids, texts } = await snapshotChannels(context);
    return { streams: texts.toJson(ids) };
  },
});

const defaultChannelsPart = defineSnapshotPart({
  types: ['default_streams'],
  shape: { realm_default_streams: z.array(z.int()) },
  async read(context) {
    // Guests join no channels by themselves, and are not told when these change (chat-contract 3.4). What the actor is
    // is read here too: the one that signed in may be older than this view of the database.
    const own = await snapshotOwnUser(context);
    if (own === undefined || isGuest(own)) return { realm_default_streams: [] };
    const { ids, texts } = await snapshotChannels(context);
    return { realm_default_streams: [...ids].filter((id) => texts.lists.facts.get(id)?.is_default === true) };
  },
});

const subscriptionsPart = defineSnapshotPart({
  types: ['subscription'],
  shape: {
    subscriptions: z.array(wireSubscription),
    unsubscribed: z.array(wireSubscription),
    never_subscribed: z.array(wireNeverSubscribed),
  },
  async read(context) {
    return subscriptionFields(context, await snapshotChannels(context));
  },
});

/** The channels of a registration: the lists of all of them, the fields that change often, and the actor's own. */
export const channelSnapshotParts = [channelsPart, defaultChannelsPart, subscriptionsPart];

async function subscriptionFields(context: SnapshotContext, known: KnownChannels) {
  const rows = await withSubscribers(context, known);
  const preferences = await defaults(context);
  const own = (isActive: boolean) => {
    const texts = known.sights.flatMap(({ id, subscription }) => {
      const text = rows?.textOf(id) ?? known.texts.textOf(id);
      if (subscription?.is_active !== isActive || text === undefined) return [];
      return [withFields(text, toWirePreferences(subscription, preferences))];
    });
    return new JsonBytes([Buffer.from(`[${texts.join(',')}]`)]);
  };
  const never = new Set(known.sights.filter(({ subscription }) => subscription === null).map(({ id }) => id));
  return {
    subscriptions: own(true),
    unsubscribed: own(false),
    never_subscribed: rows === null ? known.texts.toJson(never) : rows.toJson(absentFrom(rows, never)),
  };
}

/** Channels with their subscribers that are written before other work has its turn. */
const SLICE = 200;

/** Users who were active within this time are in every list of subscribers (chat.md 4.20). */
const recentlyMs = 14 * 24 * 60 * 60 * 1000;

/** The channels with their subscribers; null where the client asks for none. */
async function withSubscribers(context: SnapshotContext, known: KnownChannels): Promise<JsonRows | null> {
  const { tx, parts, actor, form, nowMs } = context;
  const { texts } = known;
  if (form.include_subscribers === 'false') return null;
  const isPartial = form.include_subscribers === 'partial';
  const read = async (reader: SqlReader, ids: readonly number[]) => {
    const addTo = isPartial ? await likely(reader, ids, nowMs) : await everySubscriber(context);
    const rows: { id: number; json: string }[] = [];
    for (const id of ids) {
      rows.push({ id, json: addTo(id, texts.textOf(id) ?? '{}') });
      if (rows.length % SLICE === 0) await nextTurn();
    }
    return JsonRows.from(rows);
  };
  const all = [...texts.lists.facts.keys()];
  // Registrations that share a transaction share the lists of all channels, unless the actor knows few of them.
  if (known.ids.size * 2 < all.length) return read(tx, [...known.ids]);
  return parts.once(`subscribers ${isPartial} ${actor.realmId}`, (reader) => read(reader, all));
}

async function everySubscriber({ parts, actor }: SnapshotContext) {
  const byChannel = await parts.get(subscribersSource(actor.realmId));
  return (id: number, text: string) => `${text.slice(0, -1)},"subscribers":${byChannel.get(id) ?? '[]'}}`;
}

async function likely(tx: SqlReader, ids: readonly number[], nowMs: number) {
  const byChannel = await listLikelySubscribers(tx, ids, new Date(nowMs - recentlyMs));
  return (id: number, text: string) => withFields(text, byChannel.get(id) ?? { subscribers: [] });
}

/** Clients that do not know "as my settings say" are told what they say. */
async function defaults(context: SnapshotContext) {
  if (context.form.client_capabilities.notification_settings_null) return asMySettings;
  const ownSettings = await snapshotOwnSettings(context);
  return {
    desktop_notifications: ownSettings.enable_stream_desktop_notifications,
    audible_notifications: ownSettings.enable_stream_audible_notifications,
    push_notifications: ownSettings.enable_stream_push_notifications,
    email_notifications: ownSettings.enable_stream_email_notifications,
    wildcard_mentions_notify: ownSettings.wildcard_mentions_notify,
  };
}
