import { z } from 'zod';
import { isGuest } from '../../access/actor.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/snapshot-part.js';
import { snapshotGroups } from '../user-groups/index.js';
import { snapshotOwnSettings, snapshotUsers } from '../users/index.js';
import { type ChannelRow, listChannels, listSubscribers } from './channels.repository.js';
import { listLikelySubscribers } from './likely-subscribers.repository.js';
import { asMySettings, type ChannelContext, toWireChannel, toWirePreferences } from './to-wire-channel.js';
import { wireChannel, wireNeverSubscribed, wireSubscription } from './wire-channel.js';

/** Every channel that the actor may know of, read once a registration; archived ones for clients that know them. */
function snapshotChannels(context: SnapshotContext): Promise<ChannelRow[]> {
  return context.shared(readChannels);
}

async function readChannels({ tx, actor, form }: SnapshotContext): Promise<ChannelRow[]> {
  const rows = await listChannels(tx, actor);
  return rows.filter((row) => !row.is_archived || form.client_capabilities.archived_channels);
}

const channelsPart = defineSnapshotPart({
  types: ['stream'],
  shape: { streams: z.array(wireChannel) },
  async read(context) {
    const groups = await snapshotGroups(context);
    return { streams: (await snapshotChannels(context)).map((row) => toWireChannel(row, groups)) };
  },
});

const defaultChannelsPart = defineSnapshotPart({
  types: ['default_streams'],
  shape: { realm_default_streams: z.array(z.int()) },
  async read(context) {
    // Guests join no channels by themselves, and are not told when these change (chat-contract 3.4). What the actor is
    // is read here too: the one that signed in may be older than this view of the database.
    const own = (await snapshotUsers(context)).find(({ id }) => id === context.actor.id);
    if (own === undefined || isGuest(own)) return { realm_default_streams: [] };
    const rows = await snapshotChannels(context);
    return { realm_default_streams: rows.filter((row) => row.is_default).map((row) => row.id) };
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
    const groups = await snapshotGroups(context);
    return subscriptionFields(context, groups, await snapshotChannels(context));
  },
});

/** What this module tells in a snapshot: channels by one statement, subscribers by another. */
export const channelSnapshotParts = [channelsPart, defaultChannelsPart, subscriptionsPart];

async function subscriptionFields(context: SnapshotContext, groups: ChannelContext, rows: readonly ChannelRow[]) {
  const members = await subscribersOf(context, rows);
  const wire = (row: ChannelRow) => ({ ...toWireChannel(row, groups), ...members(row) });
  const preferences = await defaults(context);
  const own = (row: ChannelRow) =>
    row.subscription === null ? [] : [{ ...wire(row), ...toWirePreferences(row.subscription, preferences) }];
  return {
    subscriptions: rows.filter((row) => row.subscription?.is_active === true).flatMap(own),
    unsubscribed: rows.filter((row) => row.subscription?.is_active === false).flatMap(own),
    never_subscribed: rows.filter((row) => row.subscription === null).map(wire),
  };
}

/** Whoever was there within this time is in every list of subscribers (chat.md 4.20). */
const recentlyMs = 14 * 24 * 60 * 60 * 1000;

async function subscribersOf(context: SnapshotContext, rows: readonly ChannelRow[]) {
  const { tx, form, nowMs } = context;
  const visible = rows.filter((row) => row.readable).map((row) => row.id);
  switch (form.include_subscribers) {
    case 'false':
      return () => ({});
    case 'true': {
      const byChannel = await listSubscribers(tx, visible);
      return (row: ChannelRow) => ({ subscribers: byChannel.get(row.id) ?? [] });
    }
    case 'partial': {
      const byChannel = await listLikelySubscribers(tx, visible, new Date(nowMs - recentlyMs));
      return (row: ChannelRow) => byChannel.get(row.id) ?? { subscribers: [] };
    }
  }
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
