import { z } from 'zod';
import { defineEventType, createPayloadDividerByLists } from '../../events/define-event-type.js';
import { eventClientFilterSchema, matchesEventClientFilter } from './event-client-filter-schema.js';

const subscriberEventIdListSchema = z.array(z.int());
const subscriberEventFields = { stream_ids: subscriberEventIdListSchema, user_ids: subscriberEventIdListSchema };
const subscriberEventPayload = z.strictObject({
  channelIds: subscriberEventIdListSchema,
  userIds: subscriberEventIdListSchema,
  clients: eventClientFilterSchema,
});

function toSubscriberEventFields({ channelIds, userIds }: z.infer<typeof subscriberEventPayload>) {
  return { stream_ids: channelIds, user_ids: userIds };
}

/**
 * Event about users who were subscribed to channels, sent to other users who see these channels (docs/contract/chat.md
 * 3.4).
 */
export const subscribersAddedEvent = defineEventType({
  name: 'subscription/peer_add',
  webhookOrder: 'type',
  audience:
    'All users who can see the subscribers of all of these channels, except the new subscribers, who get the event subscription/add.',
  payload: subscriberEventPayload,
  divide: createPayloadDividerByLists('channelIds', 'userIds'),
}).addVariant({
  type: 'subscription',
  op: 'peer_add',
  fields: subscriberEventFields,
  when: matchesEventClientFilter,
  render: toSubscriberEventFields,
});

/** Event about users who were unsubscribed from channels, sent to other users who see these channels. */
export const subscribersRemovedEvent = defineEventType({
  name: 'subscription/peer_remove',
  webhookOrder: 'type',
  audience: 'All users who can see the subscribers of all of these channels, except the former subscribers.',
  payload: subscriberEventPayload,
  divide: createPayloadDividerByLists('channelIds', 'userIds'),
}).addVariant({
  type: 'subscription',
  op: 'peer_remove',
  fields: subscriberEventFields,
  when: matchesEventClientFilter,
  render: toSubscriberEventFields,
});
