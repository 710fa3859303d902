import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { isGuest } from '../../infra/http/chat-actor.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart, defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type IndexedJsonRows, JsonRowsBuilder } from '../../infra/http/indexed-json-rows.js';
import { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import type { DerivedDataSource } from '../../events/snapshot-memory/index.js';
import { getSnapshotOwnSettings, getSnapshotOwnUser } from '../users/index.js';
import {
  createRealmChannelsDataSource,
  type ChannelJsonTexts,
  createChannelTextsDataSource,
  appendFieldsToJsonObject,
} from './channel-list-cache.js';
import {
  defaultChannelGroupListSchema,
  defaultChannelGroupsSql,
  type WireDefaultChannelGroup,
} from './default-channel-group.js';
import {
  listFrequentlyChangedChannelFields,
  readVisibleChannelsAndSubscriptions,
  type SubscriberTexts,
  type VisibleChannelIdsAndSubscriptions,
} from './channels.repository.js';
import { PartialSubscriberListSelector, readUsersNeededByClients } from './partial-subscriber-lists.repository.js';
import {
  createDeactivatedUsersDataSource,
  createActiveSubscribersDataSource,
  createRealmSubscribersDataSource,
} from './subscriber-lists-json.js';
import { allNotificationSettingsInherited, getChangeableSubscriptionFields } from './convert-to-wire-channel.js';
import { wireChannelSchema, wireNeverSubscribedSchema, wireSubscriptionSchema } from './wire-channel.js';

/**
 * The channels that the registering user can see, including archived channels if the client supports them. Read once
 * per POST /register request.
 */
interface ChannelsVisibleAtRegistration {
  readonly ids: ReadonlySet<number>;
  readonly subscriptions: VisibleChannelIdsAndSubscriptions['subscriptions'];
  readonly texts: ChannelJsonTexts;
}

function getSnapshotChannels(context: SnapshotContext): Promise<ChannelsVisibleAtRegistration> {
  return context.shared(readChannelsVisibleAtRegistration);
}

async function readChannelsVisibleAtRegistration({
  tx,
  parts,
  actor,
  form,
}: SnapshotContext): Promise<ChannelsVisibleAtRegistration> {
  const { realmId } = actor;
  const lists = await parts.get(createRealmChannelsDataSource(realmId));
  const live = await parts.once(`live fields ${realmId}`, (reader) =>
    listFrequentlyChangedChannelFields(reader, realmId),
  );
  const texts = await parts.derive(createChannelTextsDataSource(realmId, lists, live));
  const { ids: all, subscriptions } = await readVisibleChannelsAndSubscriptions(tx, actor);
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
    const { ids, texts } = await getSnapshotChannels(context);
    return { streams: texts.rows.toJsonArray({ shows: (id) => ids.has(id) }) };
  },
});

const defaultChannelsSnapshotPart = defineSnapshotPart({
  types: ['default_streams'],
  maintainedBy: ['default_streams'],
  shape: { realm_default_streams: z.array(z.int()) },
  async read(context) {
    // Guests cannot join channels by themselves, and receive no event when the defaults change (docs/contract/chat.md
    // 3.4). The role is read in the snapshot's transaction, because the request's credentials may be older.
    const own = await getSnapshotOwnUser(context);
    if (own === undefined || isGuest(own)) return { realm_default_streams: [] };
    const { ids, texts } = await getSnapshotChannels(context);
    return { realm_default_streams: [...ids].filter((id) => texts.lists.facts.get(id)?.is_default === true) };
  },
});

// Guests receive no event when the groups change, as with default channels.
const defaultChannelGroupsSnapshotPart = defineSqlSnapshotPart({
  types: ['default_stream_groups'],
  shape: { realm_default_stream_groups: defaultChannelGroupListSchema },
  sql: `SELECT CASE WHEN u.role < 600 THEN ${defaultChannelGroupsSql} END FROM users u WHERE u.id = $2`,
  fields: (groups: WireDefaultChannelGroup[] | null) => ({ realm_default_stream_groups: groups ?? [] }),
});

/**
 * Returns the event types that update the subscription fields of a client; null if events cannot update these fields.
 * Events update neither partial lists of subscribers nor inherited settings that are shown with the values of the
 * user's settings.
 */
function listSubscriptionFieldEventTypes({ form }: SnapshotContext): readonly string[] | null {
  const isExact = form.include_subscribers !== 'partial' && form.client_capabilities.notification_settings_null;
  return isExact ? ['subscription', 'stream'] : null;
}

const subscriptionsSnapshotPart = defineSnapshotPart({
  types: ['subscription'],
  maintainedBy: listSubscriptionFieldEventTypes,
  shape: {
    subscriptions: z.array(wireSubscriptionSchema),
    unsubscribed: z.array(wireSubscriptionSchema),
    never_subscribed: z.array(wireNeverSubscribedSchema),
  },
  async read(context) {
    return createSubscriptionResponseFields(context, await getSnapshotChannels(context));
  },
});

/** Parts of the POST /register response about channels, default channels and subscriptions. */
export const channelSnapshotParts = [
  channelsSnapshotPart,
  defaultChannelsSnapshotPart,
  defaultChannelGroupsSnapshotPart,
  subscriptionsSnapshotPart,
];

async function createSubscriptionResponseFields(context: SnapshotContext, known: ChannelsVisibleAtRegistration) {
  const rows = (await selectVisibleChannelsWithSubscribers(context, known.texts)) ?? known.texts.rows;
  const preferences = await getInheritedNotificationSettings(context);
  const subscriptions = known.subscriptions.filter(({ channel_id: id }) => known.ids.has(id));
  const own = (isActive: boolean) => {
    const texts = subscriptions.flatMap((subscription) => {
      const text = rows.getRowText(subscription.channel_id);
      if (subscription.is_active !== isActive || text === undefined) return [];
      return [appendFieldsToJsonObject(text, getChangeableSubscriptionFields(subscription, preferences))];
    });
    return JsonBytes.fromJsonText(`[${texts.join(',')}]`);
  };
  const everSubscribed = new Set(subscriptions.map(({ channel_id: id }) => id));
  return {
    subscriptions: own(true),
    unsubscribed: own(false),
    never_subscribed: rows.toJsonArray({ shows: (id) => known.ids.has(id) && !everSubscribed.has(id) }),
  };
}

/** Number of channels whose JSON text is created with their subscribers before the event loop may run other work. */
const CHANNELS_PER_EVENT_LOOP_TURN = 100;

/**
 * Length in milliseconds of the period before POST /register whose active users are included in partial lists of
 * subscribers (chat-4.20-13).
 */
const recentUserActivityPeriodMs = 14 * 24 * 60 * 60 * 1000;

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
  const subscriptions = await parts.get(createRealmSubscribersDataSource(realmId));
  const without = (deactivated: string) =>
    parts.derive(createActiveSubscribersDataSource(realmId, subscriptions, deactivated));
  if (form.include_subscribers === 'true') {
    const subscribers = await without(await parts.get(createDeactivatedUsersDataSource(realmId)));
    const add = (id: number, text: string) => `${text.slice(0, -1)},"subscribers":[${subscribers.get(id)?.ids ?? ''}]}`;
    return parts.derive(createChannelsWithSubscribersSource(`subscribers ${realmId}`, [texts.rows, subscribers], add));
  }
  const since = new Date(nowMs - recentUserActivityPeriodMs);
  const read = (reader: SqlQueryRunner) => readUsersNeededByClients(reader, realmId, since);
  const { likely, deactivated } = await parts.once(`likely users ${realmId}`, read);
  const subscribers = await without(deactivated);
  const some = new PartialSubscriberListSelector(subscribers, likely);
  return parts.derive(
    createChannelsWithSubscribersSource(
      `partial subscribers ${realmId}`,
      [texts.rows, subscribers, likely],
      (id, text) => some.appendSubscribersToChannelJson(id, text),
    ),
  );
}

function createChannelsWithSubscribersSource(
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
        rows.appendRows(slice.map((id) => ({ id, json: add(id, channels.getRowText(id) ?? '{}') })));
        await nextTurn();
      }
      const value = rows.buildIndexedRows();
      return { value, byteLength: value.byteLength };
    },
  };
}

/**
 * Returns the values of user settings for subscriptions that have no value of their own. Returns null values for
 * clients that support inherited settings.
 */
async function getInheritedNotificationSettings(context: SnapshotContext) {
  if (context.form.client_capabilities.notification_settings_null) return allNotificationSettingsInherited;
  const ownSettings = await getSnapshotOwnSettings(context);
  return {
    desktop_notifications: ownSettings.enable_stream_desktop_notifications,
    audible_notifications: ownSettings.enable_stream_audible_notifications,
    push_notifications: ownSettings.enable_stream_push_notifications,
    email_notifications: ownSettings.enable_stream_email_notifications,
    wildcard_mentions_notify: ownSettings.wildcard_mentions_notify,
  };
}
