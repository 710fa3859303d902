import { z } from 'zod';
import { defineEvent, divideBy } from '../../events/event-type.js';
import { clients, isForClient } from './archived-clients.js';

const ids = z.array(z.int());
const fields = { stream_ids: ids, user_ids: ids };
const payload = z.strictObject({ channelIds: ids, userIds: ids, clients });

function wire({ channelIds, userIds }: z.infer<typeof payload>) {
  return { stream_ids: channelIds, user_ids: userIds };
}

/** Event of users who joined channels, for other users who see these channels (docs/contract/chat.md 3.4). */
export const peerAddEvent = defineEvent({
  name: 'subscription/peer_add',
  audience:
    'All users who can see the subscribers of all of these channels, except the new subscribers, who get the event subscription/add.',
  payload,
  divide: divideBy('channelIds', 'userIds'),
}).as({ type: 'subscription', op: 'peer_add', fields, when: isForClient, render: wire });

/** Event of users who left channels, for other users who see these channels. */
export const peerRemoveEvent = defineEvent({
  name: 'subscription/peer_remove',
  audience: 'All users who can see the subscribers of all of these channels, except the former subscribers.',
  payload,
  divide: divideBy('channelIds', 'userIds'),
}).as({ type: 'subscription', op: 'peer_remove', fields, when: isForClient, render: wire });
