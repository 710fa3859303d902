import type { ChangedGroupPermission, SystemGroupIdByName } from '../user-groups/index.js';
import type { LockedChannel } from './lock-channels.repository.js';
import type { ChannelPropertyChange } from './channel.events.js';
import { getChannelPostPolicy } from './convert-to-wire-channel.js';
import type { NewChannelColumnValues } from './update-channel-columns.repository.js';
import { channelPermissionNames, type WireChannel } from './wire-channel.js';

/**
 * A written change of a channel: the channel before the change, the changed columns, and the channel after the change.
 */
export interface WrittenChannelChange {
  readonly channel: LockedChannel;
  readonly columns: NewChannelColumnValues;
  readonly settings: readonly ChangedGroupPermission[];
  readonly wire: WireChannel;
}

/** Columns of `channels` whose names are also the property names in events. */
const channelColumnsNamedLikeProperties = [
  'folder_id',
  'topics_policy',
  'message_retention_days',
  'is_archived',
] as const;

/**
 * Returns the changed properties of a channel in the format of events (docs/contract/chat.md 3.4). The event of
 * a rename identifies the channel by its previous name.
 */
export function listChangedChannelProperties(
  change: WrittenChannelChange,
  systemGroups: SystemGroupIdByName,
): ChannelPropertyChange[] {
  const { channel, columns, wire } = change;
  const channelNow = { stream_id: channel.id, name: wire.name };
  const changes: ChannelPropertyChange[] = [];
  if ('name' in columns) changes.push({ ...channelNow, name: channel.name, property: 'name', value: wire.name });
  if ('description' in columns) {
    const { description: value, rendered_description } = wire;
    changes.push({ ...channelNow, property: 'description', value, rendered_description });
  }
  if (['is_private', 'is_web_public', 'history_public_to_subscribers'].some((column) => column in columns)) {
    const { invite_only: value, history_public_to_subscribers, is_web_public } = wire;
    changes.push({ ...channelNow, property: 'invite_only', value, history_public_to_subscribers, is_web_public });
  }
  for (const property of channelColumnsNamedLikeProperties) {
    if (property in columns) changes.push({ ...channelNow, property, value: wire[property] });
  }
  return [...changes, ...listChangedChannelPermissions(change, systemGroups).map((one) => ({ ...channelNow, ...one }))];
}

function listChangedChannelPermissions(
  { channel, settings, wire }: WrittenChannelChange,
  systemGroups: SystemGroupIdByName,
) {
  const changed = new Set(settings.map(({ name }) => name));
  const changes: Pick<ChannelPropertyChange, 'property' | 'value'>[] = channelPermissionNames
    .filter((name) => changed.has(name))
    .map((property) => ({ property, value: wire[property] }));
  const policy = getChannelPostPolicy(channel.can_send_message_group_id, systemGroups);
  if (policy !== wire.stream_post_policy) {
    changes.push({ property: 'stream_post_policy', value: wire.stream_post_policy });
  }
  if ((policy === 2) !== wire.is_announcement_only) {
    changes.push({ property: 'is_announcement_only', value: wire.is_announcement_only });
  }
  return changes;
}
