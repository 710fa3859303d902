import type { MeasuredOperation } from '../../measured-operation.js';
import { topicNamesOfBigChannel, nameOfLongTopic, resolvedTopicPrefix } from '../generated-messages.js';
import {
  specialChannelNumbers,
  firstOrdinaryChannelNumber,
  firstOrdinaryUserNumber,
  specialUserNumbers,
} from '../generated-users.js';
import type { MeasuredChatService } from '../measured-chat-service.js';

const administratorUserNumber = specialUserNumbers.administrator;

/**
 * Returns the write that a background client repeats in a channel while an operation changes one of its topics. The
 * write uses another topic. A message to the changed topic would recreate the old topic, and a later change to the old
 * name would merge two topics.
 */
const createBackgroundClientWrite = (to: number) => (world: MeasuredChatService) =>
  world.createRepeatedMessageRequest(specialUserNumbers.bystander, to, 'talk');

/**
 * Returns an operation that moves all messages of a topic to another topic or channel. The request names one message of
 * the topic, whose id is looked up before the measurement.
 */
function createTopicMoveOperation(
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
    bystander: createBackgroundClientWrite(change.from),
    before: async (world) => {
      id = await findMessageInTopic(world, change.from, change.topic);
    },
    run: async (world) => {
      const to = typeof change.to === 'function' ? change.to(world) : change.to;
      const notices = { send_notification_to_old_thread: false, send_notification_to_new_thread: false };
      await world.sendRequest(administratorUserNumber, 'PATCH', `/messages/${id}`, {
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
  const text = await world.sendRequest(administratorUserNumber, 'GET', '/messages', {
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
async function deleteTopicCompletely(world: MeasuredChatService, at: number, topic: string): Promise<void> {
  for (;;) {
    const path = `/streams/${world.ids.channel(at)}/delete_topic`;
    const { complete } = JSON.parse(
      await world.sendRequest(administratorUserNumber, 'POST', path, { topic_name: topic }),
    ) as {
      complete: boolean;
    };
    if (complete) return;
  }
}

const [toRename, toMove, toMoveBack, toDelete] = topicNamesOfBigChannel;

/** Measured operations that change many messages, subscriptions or flags. Later operations depend on earlier ones. */
export const chatBulkOperations: readonly MeasuredOperation<MeasuredChatService>[] = [
  createTopicMoveOperation('rename the long topic', {
    from: specialChannelNumbers.long,
    topic: nameOfLongTopic,
    to: { topic: 'renamed' },
  }),
  createTopicMoveOperation('resolve the long topic', {
    from: specialChannelNumbers.long,
    topic: 'renamed',
    to: { topic: `${resolvedTopicPrefix}renamed` },
  }),
  createTopicMoveOperation('unresolve the long topic', {
    from: specialChannelNumbers.long,
    topic: `${resolvedTopicPrefix}renamed`,
    to: { topic: 'renamed' },
  }),
  createTopicMoveOperation('rename a topic', {
    from: specialChannelNumbers.big,
    topic: toRename,
    to: { topic: 'was renamed' },
  }),
  createTopicMoveOperation('merge a topic into another', {
    from: specialChannelNumbers.big,
    topic: 'was renamed',
    to: { topic: toMoveBack },
  }),
  createTopicMoveOperation('move a topic to another channel', {
    from: specialChannelNumbers.big,
    topic: toMove,
    to: ({ ids }) => ({ stream_id: ids.channel(specialChannelNumbers.target) }),
  }),
  {
    name: 'delete a topic',
    runs: 1,
    bystander: createBackgroundClientWrite(specialChannelNumbers.big),
    run: (world) => deleteTopicCompletely(world, specialChannelNumbers.big, toDelete),
  },
  {
    name: 'mark 5,000 messages as read (flags/narrow)',
    runs: 4,
    run: async (world) => {
      const change = { op: 'add', flag: 'read', narrow: [{ operator: 'is', operand: 'unread' }] };
      await world.sendRequest(specialUserNumbers.backlog, 'POST', '/messages/flags/narrow', {
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
      await world.sendRequest(specialUserNumbers.backlog, 'POST', '/mark_stream_as_read', {
        stream_id: world.ids.channel(specialChannelNumbers.long),
      });
    },
  },
  {
    name: 'mark all as read',
    runs: 1,
    run: async (world) => {
      for (;;) {
        const text = await world.sendRequest(specialUserNumbers.backlog, 'POST', '/mark_all_as_read');
        if ((JSON.parse(text) as { complete?: boolean }).complete !== false) return;
      }
    },
  },
  {
    name: 'unsubscribe all people from a channel',
    runs: 1,
    run: async (world) => {
      const { size, ids } = world;
      const principals = Array.from({ length: size.people - firstOrdinaryUserNumber + 1 }, (_, at) =>
        ids.user(firstOrdinaryUserNumber + at),
      );
      await world.sendRequest(administratorUserNumber, 'DELETE', '/users/me/subscriptions', {
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
      const principals = Array.from({ length: size.people - firstOrdinaryUserNumber + 1 }, (_, at) =>
        ids.user(firstOrdinaryUserNumber + at),
      );
      const subscriptions = [{ name: `channel ${specialChannelNumbers.left}` }];
      await world.sendRequest(administratorUserNumber, 'POST', '/users/me/subscriptions', {
        subscriptions,
        principals,
      });
    },
  },
  {
    name: 'change the role of an account',
    runs: 6,
    run: async (world, run) => {
      const path = `/users/${world.ids.user(firstOrdinaryUserNumber + 2)}`;
      await world.sendRequest(administratorUserNumber, 'PATCH', path, { role: run % 2 === 0 ? 300 : 400 });
    },
  },
  {
    name: 'deactivate and reactivate an account',
    runs: 3,
    run: async (world) => {
      const id = world.ids.user(firstOrdinaryUserNumber + 3);
      await world.sendRequest(administratorUserNumber, 'DELETE', `/users/${id}`);
      await world.sendRequest(administratorUserNumber, 'POST', `/users/${id}/reactivate`);
    },
  },
  {
    name: 'change the privacy of a channel',
    runs: 4,
    run: async (world, run) => {
      const path = `/streams/${world.ids.channel(firstOrdinaryChannelNumber + 1)}`;
      await world.sendRequest(administratorUserNumber, 'PATCH', path, {
        is_private: run % 2 === 0,
        history_public_to_subscribers: true,
      });
    },
  },
  {
    name: 'archive a channel',
    runs: 1,
    run: async (world) => {
      await world.sendRequest(
        administratorUserNumber,
        'DELETE',
        `/streams/${world.ids.channel(firstOrdinaryChannelNumber + 3)}`,
      );
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
      await world.postMessage(firstOrdinaryUserNumber, { type: 'stream', to, topic: 'news', content: `to all ${run}` });
    },
  },
];
