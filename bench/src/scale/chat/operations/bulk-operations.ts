import type { MeasuredOperation } from '../../measured-operation.js';
import { topicsOfBigChannel, longTopicName, resolvedTopicPrefix } from '../generated-messages.js';
import {
  specialChannelNumbers,
  firstOrdinaryChannel,
  firstOrdinaryUser,
  specialUserNumbers,
} from '../generated-users.js';
import type { MeasuredChatService } from '../measured-chat-service.js';

const administratorUser = specialUserNumbers.administrator;

/**
 * Returns the write that a background client repeats in a channel while an operation changes one of its topics. The
 * write uses another topic. A message to the changed topic would recreate the old topic, and a later change to the old
 * name would merge two topics.
 */
const createBystanderWrite = (to: number) => (world: MeasuredChatService) =>
  world.repeatedMessage(specialUserNumbers.bystander, to, 'talk');

/**
 * Returns an operation that moves all messages of a topic to another topic or channel. The request names one message of
 * the topic, whose id is looked up before the measurement.
 */
function moveOperation(
  name: string,
  change: {
    from: number;
    topic: string;
    to: Record<string, unknown> | ((world: MeasuredChatService) => Record<string, unknown>);
  },
): MeasuredOperation<MeasuredChatService> {
  let id = 0;
  return {
    name,
    runs: 1,
    bystander: createBystanderWrite(change.from),
    before: async (world) => {
      id = await findMessageInTopic(world, change.from, change.topic);
    },
    run: async (world) => {
      const to = typeof change.to === 'function' ? change.to(world) : change.to;
      const notices = { send_notification_to_old_thread: false, send_notification_to_new_thread: false };
      await world.send(administratorUser, 'PATCH', `/messages/${id}`, {
        ...to,
        propagate_mode: 'change_all',
        ...notices,
      });
    },
  };
}

async function findMessageInTopic(world: MeasuredChatService, at: number, topic: string): Promise<number> {
  const narrow = [
    { operator: 'channel', operand: world.ids.channel(at) },
    { operator: 'topic', operand: topic },
  ];
  const text = await world.send(administratorUser, 'GET', '/messages', {
    anchor: 'oldest',
    num_before: 0,
    num_after: 1,
    narrow,
  });
  const [first] = (JSON.parse(text) as { messages: { id: number }[] }).messages;
  if (first === undefined) throw new Error(`no message in topic ${topic}`);
  return first.id;
}

/**
 * Repeats the deletion of a topic until a response states that the whole topic is deleted. `at` is the number of the
 * topic's channel.
 */
async function deleteTopic(world: MeasuredChatService, at: number, topic: string): Promise<void> {
  for (;;) {
    const path = `/streams/${world.ids.channel(at)}/delete_topic`;
    const { complete } = JSON.parse(await world.send(administratorUser, 'POST', path, { topic_name: topic })) as {
      complete: boolean;
    };
    if (complete) return;
  }
}

const [toRename, toMove, toMoveBack, toDelete] = topicsOfBigChannel;

/** Measured operations that change many messages, subscriptions or flags. Later operations depend on earlier ones. */
export const bulkOperations: readonly MeasuredOperation<MeasuredChatService>[] = [
  moveOperation('rename the long topic', {
    from: specialChannelNumbers.long,
    topic: longTopicName,
    to: { topic: 'renamed' },
  }),
  moveOperation('resolve the long topic', {
    from: specialChannelNumbers.long,
    topic: 'renamed',
    to: { topic: `${resolvedTopicPrefix}renamed` },
  }),
  moveOperation('unresolve the long topic', {
    from: specialChannelNumbers.long,
    topic: `${resolvedTopicPrefix}renamed`,
    to: { topic: 'renamed' },
  }),
  moveOperation('rename a topic', { from: specialChannelNumbers.big, topic: toRename, to: { topic: 'was renamed' } }),
  moveOperation('merge a topic into another', {
    from: specialChannelNumbers.big,
    topic: 'was renamed',
    to: { topic: toMoveBack },
  }),
  moveOperation('move a topic to another channel', {
    from: specialChannelNumbers.big,
    topic: toMove,
    to: ({ ids }) => ({ stream_id: ids.channel(specialChannelNumbers.target) }),
  }),
  {
    name: 'delete a topic',
    runs: 1,
    bystander: createBystanderWrite(specialChannelNumbers.big),
    run: (world) => deleteTopic(world, specialChannelNumbers.big, toDelete),
  },
  {
    name: 'mark 5,000 messages as read (flags/narrow)',
    runs: 4,
    run: async (world) => {
      const change = { op: 'add', flag: 'read', narrow: [{ operator: 'is', operand: 'unread' }] };
      await world.send(specialUserNumbers.backlog, 'POST', '/messages/flags/narrow', {
        ...change,
        anchor: 'newest',
        num_before: 4999,
        num_after: 0,
      });
    },
  },
  {
    name: 'mark a channel as read',
    runs: 1,
    run: async (world) => {
      await world.send(specialUserNumbers.backlog, 'POST', '/mark_stream_as_read', {
        stream_id: world.ids.channel(specialChannelNumbers.long),
      });
    },
  },
  {
    name: 'mark all as read',
    runs: 1,
    run: async (world) => {
      for (;;) {
        const text = await world.send(specialUserNumbers.backlog, 'POST', '/mark_all_as_read');
        if ((JSON.parse(text) as { complete?: boolean }).complete !== false) return;
      }
    },
  },
  {
    name: 'unsubscribe all people from a channel',
    runs: 1,
    run: async (world) => {
      const { size, ids } = world;
      const principals = Array.from({ length: size.people - firstOrdinaryUser + 1 }, (_, at) =>
        ids.user(firstOrdinaryUser + at),
      );
      await world.send(administratorUser, 'DELETE', '/users/me/subscriptions', {
        subscriptions: [`channel ${specialChannelNumbers.left}`],
        principals,
      });
    },
  },
  {
    name: 'subscribe all people to a channel',
    runs: 1,
    run: async (world) => {
      const { size, ids } = world;
      const principals = Array.from({ length: size.people - firstOrdinaryUser + 1 }, (_, at) =>
        ids.user(firstOrdinaryUser + at),
      );
      const subscriptions = [{ name: `channel ${specialChannelNumbers.left}` }];
      await world.send(administratorUser, 'POST', '/users/me/subscriptions', { subscriptions, principals });
    },
  },
  {
    name: 'change the role of an account',
    runs: 6,
    run: async (world, run) => {
      const path = `/users/${world.ids.user(firstOrdinaryUser + 2)}`;
      await world.send(administratorUser, 'PATCH', path, { role: run % 2 === 0 ? 300 : 400 });
    },
  },
  {
    name: 'deactivate and reactivate an account',
    runs: 3,
    run: async (world) => {
      const id = world.ids.user(firstOrdinaryUser + 3);
      await world.send(administratorUser, 'DELETE', `/users/${id}`);
      await world.send(administratorUser, 'POST', `/users/${id}/reactivate`);
    },
  },
  {
    name: 'change the privacy of a channel',
    runs: 4,
    run: async (world, run) => {
      const path = `/streams/${world.ids.channel(firstOrdinaryChannel + 1)}`;
      await world.send(administratorUser, 'PATCH', path, {
        is_private: run % 2 === 0,
        history_public_to_subscribers: true,
      });
    },
  },
  {
    name: 'archive a channel',
    runs: 1,
    run: async (world) => {
      await world.send(administratorUser, 'DELETE', `/streams/${world.ids.channel(firstOrdinaryChannel + 3)}`);
    },
  },
  {
    name: 'send to all people, all of them active',
    runs: 4,
    before: async (world, run) => {
      if (run === 0) await world.deployment.database.query('UPDATE user_activity SET last_request_at = now()');
    },
    run: async (world, run) => {
      const to = world.ids.channel(specialChannelNumbers.full);
      await world.postMessage(firstOrdinaryUser, { type: 'stream', to, topic: 'news', content: `to all ${run}` });
    },
  },
];
