import {
  type ActorRights,
  createInsufficientPermissionError,
  requireOwner,
  requireActorRealmPermission,
} from '../access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { parseRetentionDays } from './parse-retention-days.js';
import type { ChannelPermission, WireChannel } from './wire-channel.js';

/**
 * Settings of a channel that decide which users can read the channel, and whether later subscribers can read earlier
 * messages.
 */
export interface ChannelPrivacy {
  readonly isPrivate: boolean;
  readonly isWebPublic: boolean;
  readonly historyPublicToSubscribers: boolean;
}

/**
 * Checks the requested privacy settings of a channel: the settings must be consistent, and the actor must be allowed to
 * create such channels.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export function checkChannelPrivacy(rights: ActorRights, privacy: ChannelPrivacy): void {
  const { isPrivate, isWebPublic, historyPublicToSubscribers } = privacy;
  if (isPrivate && isWebPublic) throw createBadRequestError('A channel cannot be both private and web-public.');
  if (!isPrivate && !historyPublicToSubscribers) {
    throw createBadRequestError('Only private channels can hide their history from new subscribers.');
  }
  if (isWebPublic) return requireActorRealmPermission(rights, 'can_create_web_public_channel_group');
  requireActorRealmPermission(
    rights,
    isPrivate ? 'can_create_private_channel_group' : 'can_create_public_channel_group',
  );
}

/**
 * Returns the requested message retention of a channel in days; null if the request contains no retention. Only owners
 * of the organization may set the retention.
 *
 * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
 */
export function checkChannelRetention(rights: ActorRights, text: string | undefined): number | null {
  if (text === undefined) return null;
  const days = parseRetentionDays(text);
  requireOwner(rights);
  return days;
}

/**
 * Checks a requested topics policy of a channel.
 *
 * @throws ApplicationError BAD_REQUEST unless the actor may set the policy
 */
export function checkTopicsPolicy(rights: ActorRights, policy: WireChannel['topics_policy'] | undefined): void {
  if (policy !== undefined && policy !== 'inherit') requireActorRealmPermission(rights, 'can_set_topics_policy_group');
}

const messageDeletionPermissions: readonly ChannelPermission[] = [
  'can_delete_any_message_group',
  'can_delete_own_message_group',
];

/**
 * Checks requested permissions of a channel. Changing the permission to delete messages requires a permission of the
 * realm.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export function checkChannelPermissionChanges(rights: ActorRights, changed: readonly ChannelPermission[]): void {
  const isAboutDeletion = changed.some((name) => messageDeletionPermissions.includes(name));
  if (isAboutDeletion && !rights.hasRealmPermission('can_set_delete_message_policy_group'))
    throw createInsufficientPermissionError();
}
