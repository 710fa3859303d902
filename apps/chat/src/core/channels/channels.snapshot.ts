import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { isGuest } from '../../infra/http/chat-actor.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart, defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type IndexedJsonRows, JsonRowsBuilder } from '../../infra/http/indexed-json-rows.js';
import { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import type { SqlReader } from '../../infra/sql-reader.js';
import type { DerivedDataSource } from '../../events/snapshot-memory/index.js';
import { snapshotOwnSettings, ownUserSnapshotValue } from '../users/index.js';
import {
  channelListsDataSource,
  type ChannelJsonTexts,
  channelTextsDataSource,
  appendFieldsToJsonObject,
} from './channel-list-cache.js';
import {
  defaultChannelGroupList,
  defaultChannelGroupsSql,
  type WireDefaultChannelGroup,
} from './default-channel-group.js';
import {
  listFrequentlyChangedFields,
  readRegistrationChannels,
  type SubscriberTexts,
  type RegistrationChannels,
} from './channels.repository.js';
import { LikelySubscribers, readLikelyUsers } from './partial-subscriber-lists.repository.js';
import { deactivatedUsersSource, subscribersSource, subscriptionsSource } from './subscriber-lists-json.js';
import { allNotificationSettingsInherited, toNotificationSettings } from './convert-to-wire-channel.js';
import { wireChannelSchema, wireNeverSubscribedSchema, wireSubscriptionSchema } from './wire-channel.js';

/**
 * The channels that the registering user can see, including archived channels if the client supports them. Read once
 * per POST /register request.
 */
interface VisibleRegistrationChannels {
  readonly ids: ReadonlySet<number>;
  readonly subscriptions: RegistrationChannels['subscriptions'];
  readonly texts: ChannelJsonTexts;
}

function snapshotChannels(context: SnapshotContext): Promise<VisibleRegistrationChannels> {
  return context.shared(readChannels);
}

async function readChannels({ tx, parts, actor, form }: SnapshotContext): Promise<VisibleRegistrationChannels> {
  const { realmId } = actor;
  const lists = await parts.get(channelListsDataSource(realmId));
  const live = await parts.once(`live fields ${realmId}`, (reader) => listFrequentlyChangedFields(reader, realmId));
  const texts = await parts.derive(channelTextsDataSource(realmId, lists, live));
  const { ids: all, subscriptions } = await readRegistrationChannels(tx, actor);
  const ids = form.client_capabilities.archived_channels
    ? all
    : all.filter((id) => lists.facts.get(id)?.is_archived !== true);
  return { ids: new Set(ids), subscriptions, texts };
}

const channelsSnapshotPart = defineSnapshotPart({
  types: ['stream'],
  maintainedBy: ['stream', 'subscription'],
  shape: { streams: z.array(wireChannelSchema) },
  async read(context) {
    const { ids, texts } = await snapshotChannels(context);
    return { streams: texts.rows.toJson({ shows: (id) => ids.has(id) }) };
  },
});

const defaultChannelsSnapshotPart = defineSnapshotPart({
  types: ['default_streams'],
  maintainedBy: ['default_streams'],
  shape: { realm_default_streams: z.array(z.int()) },
  async read(context) {
    // Guests cannot join channels by themselves, and receive no event when the defaults change (docs/contract/chat.md
    // 3.4). The role is read in the snapshot's transaction, because the request's credentials may be older.
    const own = await ownUserSnapshotValue(context);
    if (own === undefined || isGuest(own)) return { realm_default_streams: [] };
    const { ids, texts } = await snapshotChannels(context);
    return { realm_default_streams: [...ids].filter((id) => texts.lists.facts.get(id)?.is_default === true) };
  },
});

// Guests receive no event when the groups change, as with default channels.
const defaultChannelGroupsSnapshotPart = defineSqlSnapshotPart({
  types: ['default_stream_groups'],
  shape: { realm_default_stream_groups: defaultChannelGroupList },
  sql: `SELECT CASE WHEN u.role < 600 THEN ${defaultChannelGroupsSql} END FROM users u WHERE u.id = $2`,
  fields: (groups: WireDefaultChannelGroup[] | null) => ({ realm_default_stream_groups: groups ?? [] }),
});

/**
 * Returns the event types that update the subscription fields of a client; null if events cannot update these fields.
 * Events update neither partial lists of subscribers nor inherited settings that are shown with the values of the
 * user's settings.
 */
function subscriptionEvents({ form }: SnapshotContext): readonly string[] | null {
  const isExact = form.include_subscribers !== 'partial' && form.client_capabilities.notification_settings_null;
  return isExact ? ['subscription', 'stream'] : null;
}

const subscriptionsSnapshotPart = defineSnapshotPart({
  types: ['subscription'],
  maintainedBy: subscriptionEvents,
  shape: {
    subscriptions: z.array(wireSubscriptionSchema),
    unsubscribed: z.array(wireSubscriptionSchema),
    never_subscribed: z.array(wireNeverSubscribedSchema),
  },
  async read(context) {
    return subscriptionFields(context, await snapshotChannels(context));
  },
});

/** Parts of the POST /register response about channels, default channels and subscriptions. */
export const channelSnapshotParts = [
  channelsSnapshotPart,
  defaultChannelsSnapshotPart,
  defaultChannelGroupsSnapshotPart,
  subscriptionsSnapshotPart,
];

async function subscriptionFields(context: SnapshotContext, known: VisibleRegistrationChannels) {
  const rows = (await selectVisibleChannelsWithSubscribers(context, known.texts)) ?? known.texts.rows;
  const preferences = await inheritedNotificationSettings(context);
  const subscriptions = known.subscriptions.filter(({ channel_id: id }) => known.ids.has(id));
  const own = (isActive: boolean) => {
    const texts = subscriptions.flatMap((subscription) => {
      const text = rows.getRowText(subscription.channel_id);
      if (subscription.is_active !== isActive || text === undefined) return [];
      return [appendFieldsToJsonObject(text, toNotificationSettings(subscription, preferences))];
    });
    return JsonBytes.fromJson(`[${texts.join(',')}]`);
  };
  const everSubscribed = new Set(subscriptions.map(({ channel_id: id }) => id));
  return {
    subscriptions: own(true),
    unsubscribed: own(false),
    never_subscribed: rows.toJson({ shows: (id) => known.ids.has(id) && !everSubscribed.has(id) }),
  };
}

/** Number of channels whose JSON text is created with their subscribers before the event loop may run other work. */
const CHANNELS_PER_EVENT_LOOP_TURN = 100;

/**
 * Length in milliseconds of the period before POST /register whose active users are included in partial lists of
 * subscribers (chat-4.20-13).
 */
const recentChannelActivityMs = 14 * 24 * 60 * 60 * 1000;

/**
 * Returns the JSON of the channels that the user can see, with their subscribers. Returns null if the client requests
 * no subscribers.
 */
async function selectVisibleChannelsWithSubscribers(
  context: SnapshotContext,
  texts: ChannelJsonTexts,
): Promise<IndexedJsonRows | null> {
  const { parts, actor, form, nowMs } = context;
  const { realmId } = actor;
  if (form.include_subscribers === 'false') return null;
  const subscriptions = await parts.get(subscriptionsSource(realmId));
  const without = (deactivated: string) => parts.derive(subscribersSource(realmId, subscriptions, deactivated));
  if (form.include_subscribers === 'true') {
    const subscribers = await without(await parts.get(deactivatedUsersSource(realmId)));
    const add = (id: number, text: string) => `${text.slice(0, -1)},"subscribers":[${subscribers.get(id)?.ids ?? ''}]}`;
    return parts.derive(channelsWithSubscribersSource(`subscribers ${realmId}`, [texts.rows, subscribers], add));
  }
  const since = new Date(nowMs - recentChannelActivityMs);
  const read = (reader: SqlReader) => readLikelyUsers(reader, realmId, since);
  const { likely, deactivated } = await parts.once(`likely users ${realmId}`, read);
  const subscribers = await without(deactivated);
  const some = new LikelySubscribers(subscribers, likely);
  return parts.derive(
    channelsWithSubscribersSource(`partial subscribers ${realmId}`, [texts.rows, subscribers, likely], (id, text) =>
      some.appendSubscribers(id, text),
    ),
  );
}

function channelsWithSubscribersSource(
  key: string,
  inputs: readonly [IndexedJsonRows, SubscriberTexts, ...string[]],
  add: (id: number, text: string) => string,
): DerivedDataSource<IndexedJsonRows> {
  const [channels] = inputs;
  return {
    key,
    inputs,
    async make() {
      const rows = new JsonRowsBuilder();
      for (let at = 0; at < channels.ids.length; at += CHANNELS_PER_EVENT_LOOP_TURN) {
        const slice = Array.from(channels.ids.subarray(at, at + CHANNELS_PER_EVENT_LOOP_TURN));
        rows.add(slice.map((id) => ({ id, json: add(id, channels.getRowText(id) ?? '{}') })));
        await nextTurn();
      }
      const value = rows.build();
      return { value, byteLength: value.byteLength };
    },
  };
}

/**
 * Returns the values of user settings for subscriptions that have no value of their own. Returns null values for
 * clients that support inherited settings.
 */
async function inheritedNotificationSettings(context: SnapshotContext) {
  if (context.form.client_capabilities.notification_settings_null) return allNotificationSettingsInherited;
  const ownSettings = await snapshotOwnSettings(context);
  return {
    desktop_notifications: ownSettings.enable_stream_desktop_notifications,
    audible_notifications: ownSettings.enable_stream_audible_notifications,
    push_notifications: ownSettings.enable_stream_push_notifications,
    email_notifications: ownSettings.enable_stream_email_notifications,
    wildcard_mentions_notify: ownSettings.wildcard_mentions_notify,
  };
}
