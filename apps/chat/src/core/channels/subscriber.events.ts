import { z } from 'zod';
import { defineEvent, dividePayloadByLists } from '../../events/define-event-type.js';
import { clientFilterSchema, matchesEventClientFilter } from './event-client-filter-schema.js';

const subscriberEventIdList = z.array(z.int());
const subscriberEventFields = { stream_ids: subscriberEventIdList, user_ids: subscriberEventIdList };
const subscriberEventPayload = z.strictObject({
  channelIds: subscriberEventIdList,
  userIds: subscriberEventIdList,
  clients: clientFilterSchema,
});

function toSubscriberEventFields({ channelIds, userIds }: z.infer<typeof subscriberEventPayload>) {
  return { stream_ids: channelIds, user_ids: userIds };
}

/**
 * Event about users who were subscribed to channels, sent to other users who see these channels (docs/contract/chat.md
 * 3.4).
 */
export const peerAddEvent = defineEvent({
  name: 'subscription/peer_add',
  webhookOrder: 'type',
  audience:
    'All users who can see the subscribers of all of these channels, except the new subscribers, who get the event subscription/add.',
  payload: subscriberEventPayload,
  divide: dividePayloadByLists('channelIds', 'userIds'),
}).withVariant({
  type: 'subscription',
  op: 'peer_add',
  fields: subscriberEventFields,
  when: matchesEventClientFilter,
  render: toSubscriberEventFields,
});

/** Event about users who were unsubscribed from channels, sent to other users who see these channels. */
export const peerRemoveEvent = defineEvent({
  name: 'subscription/peer_remove',
  webhookOrder: 'type',
  audience: 'All users who can see the subscribers of all of these channels, except the former subscribers.',
  payload: subscriberEventPayload,
  divide: dividePayloadByLists('channelIds', 'userIds'),
}).withVariant({
  type: 'subscription',
  op: 'peer_remove',
  fields: subscriberEventFields,
  when: matchesEventClientFilter,
  render: toSubscriberEventFields,
});
