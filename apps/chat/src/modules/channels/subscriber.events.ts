import { z } from 'zod';
import { defineEvent, divideBy } from '../../events/event-type.js';
import { clients, isForClient } from './archived-clients.js';

const ids = z.array(z.int());
const fields = { stream_ids: ids, user_ids: ids };
const payload = z.strictObject({ channelIds: ids, userIds: ids, clients });

function wire({ channelIds, userIds }: z.infer<typeof payload>) {
  return { stream_ids: channelIds, user_ids: userIds };
}

/** Others joined channels (docs/contract/chat.md 3.4). */
export const peerAddEvent = defineEvent({
  name: 'subscription/peer_add',
  audience: 'Who may see who subscribes to all of these channels, but not those who joined: they get the subscription.',
  payload,
  divide: divideBy('channelIds', 'userIds'),
}).as({ type: 'subscription', op: 'peer_add', fields, when: isForClient, render: wire });

/** Others left channels. */
export const peerRemoveEvent = defineEvent({
  name: 'subscription/peer_remove',
  audience: 'Who may see who subscribes to all of these channels, but not those who left.',
  payload,
  divide: divideBy('channelIds', 'userIds'),
}).as({ type: 'subscription', op: 'peer_remove', fields, when: isForClient, render: wire });
