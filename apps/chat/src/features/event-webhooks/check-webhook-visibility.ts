import type { WebhookDeliveryToCheck } from '@switchboard/webhooks';
import type { QueueTx } from '@switchboard/queue';
import { z } from 'zod';
import { eventWebhookMetadataSchema, type EventStoredForWebhooks } from '../../core/event-webhooks/index.js';
import { testEventType } from './subscribable-types.js';
import {
  type WebhookOwnerChannelAccess,
  WebhookOwnerChannelAccesses,
  findWebhookOwners,
} from './webhook-owner-access.repository.js';

/**
 * Returns true if the owner of a webhook may see an event. The owner must be a recipient of the event, or able to read
 * the complete history of its channel. For messages that were moved, the owner must also be able to read the history of
 * the new channel. An owner who cannot read the new channel sees the deletion of the messages instead. This does not
 * apply to an owner who received the messages and can still read them.
 */
export function canWebhookOwnerSeeEvent(
  { name, addressees, remainingReaders, conversation }: EventStoredForWebhooks,
  ownerId: number,
  access: (channelId: number) => WebhookOwnerChannelAccess,
): boolean {
  if (addressees.includes(ownerId)) return true;
  if (remainingReaders.includes(ownerId)) return false;
  if (conversation === undefined || !('channelId' in conversation)) return false;
  const { channelId, newChannelId } = conversation;
  if (!access(channelId).hasHistory) return false;
  if (newChannelId === undefined) return true;
  return access(newChannelId).hasHistory !== (name === 'delete_message');
}

const movedMessageBodySchema = z.object({ data: z.object({ new_stream_id: z.int().optional() }) });

/**
 * Returns a function that checks a delivery before each attempt. The function resolves to the reason for which the
 * event must not be sent, or to null. A reason is that the webhook's owner is not an administrator any more, or can no
 * longer read the channels of the event.
 */
export function createDeliveryCheck(database: QueueTx) {
  return async ({ type, key, body, metadata }: WebhookDeliveryToCheck): Promise<string | null> => {
    const { userId } = eventWebhookMetadataSchema.parse(metadata);
    const owners = await findWebhookOwners(database, [userId]);
    if (!owners.has(userId))
      return 'The owner of the webhook is no active administrator, or the organization is deactivated.';
    const channelIds = type === testEventType ? [] : listDeliveryChannelIds(key, body);
    const accesses = await WebhookOwnerChannelAccesses.readForUsersAndChannels(
      database,
      channelIds.map((channelId) => ({ userId, channelId })),
    );
    const isVisible = channelIds.every((channelId) => accesses.getChannelAccess(userId, channelId).isReadable);
    return isVisible ? null : 'The owner of the webhook can no longer read the channel.';
  };
}

/**
 * Returns the ids of the channels that a webhook delivery concerns: the channel in its order key, and the channel to
 * which messages were moved.
 */
function listDeliveryChannelIds(key: string | null, body: string): number[] {
  const channelId = /^stream:(\d+):/.exec(key ?? '')?.[1];
  if (channelId === undefined) return [];
  const { new_stream_id: newChannelId } = movedMessageBodySchema.parse(JSON.parse(body)).data;
  return [Number(channelId), ...(newChannelId === undefined ? [] : [newChannelId])];
}
