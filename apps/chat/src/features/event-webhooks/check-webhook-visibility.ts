import type { DeliveryToCheck } from '@switchboard/webhooks';
import type { QueueTx } from '@switchboard/queue';
import { z } from 'zod';
import { eventWebhookMetadata, type StoredEvent } from '../../core/event-webhooks/index.js';
import { testEventType } from './subscribable-types.js';
import { type ChannelAccess, OwnerChannelAccesses, findWebhookOwners } from './webhook-owner-access.repository.js';

/**
 * Returns true if the owner of a webhook may see an event: an event whose audience contains the owner, or an event of a
 * channel whose complete history the owner can read. Moved messages must be visible in their new channel, too. For owners
 * who cannot read the new channel, the event of their deletion is visible, except those who can still read these messages
 * because they received them.
 */
export function isDeliveryVisibleToOwner(
  { name, addressees, remainingReaders, conversation }: StoredEvent,
  ownerId: number,
  access: (channelId: number) => ChannelAccess,
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
 * Returns a function that checks a delivery before each attempt. It resolves to the reason for which the event must not
 * be sent: its owner is no administrator, or can no longer read its channels.
 */
export function createDeliveryCheck(database: QueueTx) {
  return async ({ type, key, body, metadata }: DeliveryToCheck): Promise<string | null> => {
    const { userId } = eventWebhookMetadata.parse(metadata);
    const owners = await findWebhookOwners(database, [userId]);
    if (!owners.has(userId))
      return 'The owner of the webhook is no active administrator, or the organization is deactivated.';
    const channelIds = type === testEventType ? [] : listDeliveryChannelIds(key, body);
    const accesses = await OwnerChannelAccesses.read(
      database,
      channelIds.map((channelId) => ({ userId, channelId })),
    );
    const isVisible = channelIds.every((channelId) => accesses.get(userId, channelId).isReadable);
    return isVisible ? null : 'The owner of the webhook can no longer read the channel.';
  };
}

/**
 * Returns the ids of the channels of a delivery: the channel of its order key, and the channel to which messages were
 * moved.
 */
function listDeliveryChannelIds(key: string | null, body: string): number[] {
  const channelId = /^stream:(\d+):/.exec(key ?? '')?.[1];
  if (channelId === undefined) return [];
  const { new_stream_id: newChannelId } = movedMessageBodySchema.parse(JSON.parse(body)).data;
  return [Number(channelId), ...(newChannelId === undefined ? [] : [newChannelId])];
}
