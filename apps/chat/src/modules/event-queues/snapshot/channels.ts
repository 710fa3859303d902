import { z } from 'zod';
import {
  type ChannelRow,
  listChannels,
  listSubscribers,
  toWireChannel,
  toWirePreferences,
  wireChannel,
  wireNeverSubscribed,
  wireSubscription,
} from '../../channels/index.js';
import type { SnapshotBasics, SnapshotContext } from './snapshot-context.js';

/** The fields of fetch types subscription, stream and default_streams (chat-contract 4.2). */
export const channelsShape = {
  subscriptions: z.array(wireSubscription),
  unsubscribed: z.array(wireSubscription),
  never_subscribed: z.array(wireNeverSubscribed),
  streams: z.array(wireChannel),
  realm_default_streams: z.array(z.int()),
};

/** The channels that the actor may know of, and those it subscribes to: two statements, one without subscribers. */
export async function channelsSnapshot(context: SnapshotContext, basics: SnapshotBasics): Promise<object> {
  const { wants, tx, actor, parameters } = context;
  if (!wants('subscription', 'stream', 'default_streams')) return {};
  const all = await listChannels(tx, actor);
  const shown = all.filter((row) => !row.is_archived || parameters.client_capabilities.archived_channels);
  return {
    ...(wants('subscription') && (await subscriptionFields(context, basics, shown))),
    ...(wants('stream') && { streams: shown.map((row) => toWireChannel(row, basics)) }),
    ...(wants('default_streams') && {
      realm_default_streams: shown.filter((row) => row.is_default).map((row) => row.id),
    }),
  };
}

async function subscriptionFields(
  context: SnapshotContext,
  basics: SnapshotBasics,
  rows: readonly ChannelRow[],
): Promise<object> {
  const members = await subscribersOf(context, rows);
  const wire = (row: ChannelRow) => ({ ...toWireChannel(row, basics), ...members(row) });
  const own = (row: ChannelRow) =>
    row.subscription === null
      ? []
      : [{ ...wire(row), ...toWirePreferences(row.subscription, defaults(context, basics)) }];
  return {
    subscriptions: rows.filter((row) => row.subscription?.is_active === true).flatMap(own),
    unsubscribed: rows.filter((row) => row.subscription?.is_active === false).flatMap(own),
    never_subscribed: rows.filter((row) => row.subscription === null).map(wire),
  };
}

/** Partial lists may always be whole ones (chat-contract 8.10). */
async function subscribersOf(context: SnapshotContext, rows: readonly ChannelRow[]) {
  if (context.parameters.include_subscribers.toLowerCase() === 'false') return () => ({});
  const visible = rows.filter((row) => row.readable).map((row) => row.id);
  const byChannel = await listSubscribers(context.tx, visible);
  return (row: ChannelRow) => ({ subscribers: byChannel.get(row.id) ?? [] });
}

/** Clients that do not know "as my settings say" are told what they say. */
function defaults({ parameters }: SnapshotContext, { ownSettings }: SnapshotBasics) {
  if (parameters.client_capabilities.notification_settings_null) {
    return {
      desktop_notifications: null,
      audible_notifications: null,
      push_notifications: null,
      email_notifications: null,
      wildcard_mentions_notify: null,
    };
  }
  return {
    desktop_notifications: ownSettings.enable_stream_desktop_notifications,
    audible_notifications: ownSettings.enable_stream_audible_notifications,
    push_notifications: ownSettings.enable_stream_push_notifications,
    email_notifications: ownSettings.enable_stream_email_notifications,
    wildcard_mentions_notify: ownSettings.wildcard_mentions_notify,
  };
}
