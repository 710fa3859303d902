import type { RacePair, RaceResponse } from '../../race-pair.js';
import type { ChatWorld } from '../race-test-chat-data.js';

type ChatRacePair = RacePair<ChatWorld>;

const sendRaces: readonly ChatRacePair[] = [
  {
    slice: 'messages',
    title: 'the first two messages of a channel are sent',
    async arrange(world) {
      const { id } = await world.newChannel(['iago', 'hamlet']);
      const send = (name: 'iago' | 'hamlet') => () =>
        world.write(name, 'post', 'messages', { type: 'channel', to: id, topic: 'first', content: 'hello' });
      return { writes: [send('iago'), send('hamlet')], check: async (responses) => rejectedWrites(responses) };
    },
  },
  {
    slice: 'messages',
    title: 'the first two messages of a conversation are sent',
    async arrange(world, random) {
      const others = ['cordelia', 'othello', 'prospero', 'polonius'] as const;
      const to = others.filter(() => random.chance(0.5)).map((name) => world.id(name));
      const people = [...to, world.id('hamlet'), world.id('iago')];
      const send = (name: 'iago' | 'hamlet') => () =>
        world.write(name, 'post', 'messages', { type: 'direct', to: people, content: 'hello' });
      return { writes: [send('iago'), send('hamlet')], check: async (responses) => rejectedWrites(responses) };
    },
  },
  {
    slice: 'messages',
    title: 'a message is sent to a private channel that a subscriber leaves',
    async arrange(world) {
      const { id, name } = await world.newChannel(['iago', 'hamlet', 'cordelia'], { invite_only: true });
      await world.newMessage('iago', id, 'race');
      return {
        writes: [
          () => world.write('iago', 'post', 'messages', { type: 'channel', to: id, topic: 'race', content: 'secret' }),
          () => world.write('hamlet', 'delete', 'users/me/subscriptions', { subscriptions: [name] }),
        ],
        check: async (responses) => rejectedWrites(responses),
      };
    },
  },
  {
    slice: 'messages',
    title: 'a message is sent to a channel that is archived',
    deletes: true,
    async arrange(world) {
      const { id } = await world.newChannel(['iago', 'hamlet']);
      await world.newMessage('iago', id, 'race');
      return {
        writes: [
          () => world.write('hamlet', 'post', 'messages', { type: 'channel', to: id, topic: 'race', content: 'late' }),
          () => world.write('iago', 'delete', `streams/${id}`),
        ],
        async check([sent]) {
          const order = await world.rows<{ content: string }>(
            `SELECT x.content FROM messages m JOIN message_texts x ON x.message_id = m.id JOIN recipients r ON r.id = m.recipient_id
             WHERE r.channel_id = $1 ORDER BY m.id DESC LIMIT 1`,
            [id],
          );
          return sent.status === 200 && order[0]?.content === 'late' ? ['sent after the channel was archived'] : [];
        },
      };
    },
  },
];

const keyedRaces: readonly ChatRacePair[] = [
  {
    slice: 'repeated sends',
    title: 'a message is sent twice with one Idempotency-Key',
    async arrange(world) {
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      const content = world.newName('message');
      const send = () => sendWithKey(world, { type: 'channel', to: id, topic: 'race', content });
      return { writes: [send, send], check: (responses) => sentOnce(world, content, responses) };
    },
  },
  {
    slice: 'repeated sends',
    title: 'a message is sent twice with one local id, once with an Idempotency-Key',
    async arrange(world) {
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      const content = world.newName('message');
      const form = { type: 'channel', to: id, topic: 'race', content, queue_id: 'queue', local_id: content };
      return {
        writes: [() => sendWithKey(world, form), () => world.write('hamlet', 'post', 'messages', form)],
        check: (responses) => sentOnce(world, content, responses),
      };
    },
  },
  {
    slice: 'repeated sends',
    title: 'a message is deleted that is sent again with its Idempotency-Key',
    deletes: true,
    async arrange(world) {
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      const form = { type: 'channel', to: id, topic: 'race', content: world.newName('message') };
      const first = Reflect.get(Object((await sendWithKey(world, form)).body), 'id');
      return {
        writes: [() => sendWithKey(world, form), () => world.write('iago', 'delete', `messages/${String(first)}`)],
        async check(responses) {
          const repeated = Reflect.get(Object(responses[0].body), 'id');
          return [
            ...rejectedWrites(responses),
            ...(repeated === first ? [] : [`message ${String(first)} was sent again as ${String(repeated)}`]),
          ];
        },
      };
    },
  },
];

/**
 * Checks that one message with the content is stored, and that both writes returned the id of this message. Returns a
 * problem otherwise.
 */
async function sentOnce(world: ChatWorld, content: string, responses: readonly RaceResponse[]): Promise<string[]> {
  const stored = await world.rows<{ id: number }>('SELECT message_id AS id FROM message_texts WHERE content = $1', [
    content,
  ]);
  const ids = new Set([...responses.map(({ body }) => Reflect.get(Object(body), 'id')), stored[0]?.id]);
  const isOne = ids.size === 1 && stored.length === 1;
  return [
    ...rejectedWrites(responses),
    ...(isOne ? [] : [`${stored.length} messages with the ids ${[...ids].join()}`]),
  ];
}

/** Sends a message of a member. The content of the message is also the `Idempotency-Key` of the request. */
function sendWithKey(world: ChatWorld, form: Record<string, unknown> & { readonly content: string }) {
  return world.write('hamlet', 'post', 'messages', form, { 'idempotency-key': form.content });
}

async function createTwoChannels(world: ChatWorld) {
  return [await world.sharedChannel(['iago', 'hamlet']), await world.sharedChannel(['iago', 'hamlet'], 2)] as const;
}

const editRaces: readonly ChatRacePair[] = [
  {
    slice: 'message editing',
    title: 'a message is edited twice',
    async arrange(world) {
      const topic = world.newName('topic');
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      const message = await world.newMessage('hamlet', id, topic);
      const edit = (content: string) => () => world.write('hamlet', 'patch', `messages/${message}`, { content });
      return {
        writes: [edit('one'), edit('other')],
        async check(responses) {
          const [row] = await world.rows<{ edits: number }>(
            'SELECT jsonb_array_length(edit_history) AS edits FROM messages WHERE id = $1',
            [message],
          );
          return [
            ...rejectedWrites(responses),
            ...(row?.edits === 2 ? [] : [`${row?.edits} edits are in the history`]),
          ];
        },
      };
    },
  },
  {
    slice: 'message editing',
    title: 'a topic is moved to two channels',
    async arrange(world) {
      const topic = world.newName('topic');
      const [from, one] = await createTwoChannels(world);
      const other = await world.sharedChannel(['iago', 'cordelia']);
      const message = await world.newMessage('hamlet', from.id, topic);
      await world.newMessage('iago', from.id, topic);
      const move = (stream: number) => () =>
        world.write('iago', 'patch', `messages/${message}`, { stream_id: stream, propagate_mode: 'change_all' });
      return { writes: [move(one.id), move(other.id)] };
    },
  },
  {
    slice: 'message editing',
    title: 'a topic is renamed to the name of a topic that a message is sent to',
    async arrange(world) {
      const [topic, other] = [world.newName('topic'), world.newName('topic')];
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      const message = await world.newMessage('iago', id, topic);
      return {
        writes: [
          () => world.write('iago', 'patch', `messages/${message}`, { topic: other, propagate_mode: 'change_all' }),
          () => world.write('hamlet', 'post', 'messages', { type: 'channel', to: id, topic: other, content: 'late' }),
        ],
        check: async (responses) => rejectedWrites(responses),
      };
    },
  },
  {
    slice: 'message editing',
    title: 'a topic is moved to a channel that is archived',
    deletes: true,
    async arrange(world) {
      const topic = world.newName('topic');
      const from = await world.sharedChannel(['iago', 'hamlet']);
      const to = await world.newChannel(['iago', 'hamlet']);
      const message = await world.newMessage('hamlet', from.id, topic);
      return {
        writes: [
          () => world.write('iago', 'patch', `messages/${message}`, { stream_id: to.id, propagate_mode: 'change_all' }),
          () => world.write('desdemona', 'delete', `streams/${to.id}`),
        ],
      };
    },
  },
  {
    slice: 'message deletion',
    title: 'a message is deleted that another user reacts to',
    deletes: true,
    async arrange(world) {
      const topic = world.newName('topic');
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      const message = await world.newMessage('hamlet', id, topic);
      return {
        writes: [
          () => world.write('iago', 'delete', `messages/${message}`),
          () => world.write('cordelia', 'post', `messages/${message}/reactions`, { emoji_name: 'smile' }),
        ],
      };
    },
  },
  {
    slice: 'message deletion',
    title: 'a topic is deleted that another user marks',
    deletes: true,
    async arrange(world) {
      const topic = world.newName('topic');
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      const messages: number[] = [];
      for (let sent = 0; sent < 4; sent += 1) messages.push(await world.newMessage('iago', id, topic));
      return {
        writes: [
          () => world.write('iago', 'post', `streams/${id}/delete_topic`, { topic_name: topic }),
          () => world.write('hamlet', 'post', 'messages/flags', { messages, op: 'add', flag: 'starred' }),
        ],
      };
    },
  },
  {
    slice: 'message deletion',
    title: 'a topic is deleted that a message is sent to',
    deletes: true,
    async arrange(world) {
      const topic = world.newName('topic');
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      await world.newMessage('iago', id, topic);
      return {
        writes: [
          () => world.write('iago', 'post', `streams/${id}/delete_topic`, { topic_name: topic }),
          () => world.write('hamlet', 'post', 'messages', { type: 'channel', to: id, topic, content: 'late' }),
        ],
      };
    },
  },
  {
    slice: 'message deletion',
    title: 'a message is deleted that is moved',
    deletes: true,
    async arrange(world) {
      const topic = world.newName('topic');
      const [from, to] = await createTwoChannels(world);
      const message = await world.newMessage('hamlet', from.id, topic);
      return {
        writes: [
          () => world.write('iago', 'delete', `messages/${message}`),
          () =>
            world.write('desdemona', 'patch', `messages/${message}`, {
              stream_id: to.id,
              propagate_mode: 'change_all',
            }),
        ],
      };
    },
  },
];

const flagRaces: readonly ChatRacePair[] = [
  {
    slice: 'message flags',
    title: 'two clients of a user mark the same messages',
    async arrange(world) {
      const topic = world.newName('topic');
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      const messages = [await world.newMessage('iago', id, topic), await world.newMessage('iago', id, topic)];
      const mark = (ids: readonly number[], flag: string) => () =>
        world.write('hamlet', 'post', 'messages/flags', { messages: ids, op: 'add', flag });
      return {
        writes: [mark(messages, 'read'), mark(messages.toReversed(), 'starred')],
        check: async (responses) => rejectedWrites(responses),
      };
    },
  },
  {
    slice: 'message flags',
    title: 'a channel is marked as read that messages are moved to',
    async arrange(world) {
      const topic = world.newName('topic');
      const [from, to] = await createTwoChannels(world);
      const message = await world.newMessage('iago', from.id, topic);
      return {
        writes: [
          () => world.write('hamlet', 'post', 'mark_stream_as_read', { stream_id: to.id }),
          () => world.write('iago', 'patch', `messages/${message}`, { stream_id: to.id, propagate_mode: 'change_all' }),
        ],
      };
    },
  },
  {
    slice: 'reactions',
    title: 'a reaction is added and removed',
    async arrange(world) {
      const topic = world.newName('topic');
      const { id } = await world.sharedChannel(['iago', 'hamlet']);
      const message = await world.newMessage('iago', id, topic);
      const react = (method: 'post' | 'delete') => () =>
        world.write('hamlet', method, `messages/${message}/reactions`, { emoji_name: 'smile' });
      return { writes: [react('post'), react('delete')] };
    },
  },
  {
    slice: 'user topics',
    title: 'a topic is muted that is moved',
    async arrange(world) {
      const topic = world.newName('topic');
      const [from, to] = await createTwoChannels(world);
      const message = await world.newMessage('iago', from.id, topic);
      return {
        writes: [
          () => world.write('hamlet', 'post', 'user_topics', { stream_id: from.id, topic, visibility_policy: 1 }),
          () => world.write('iago', 'patch', `messages/${message}`, { stream_id: to.id, propagate_mode: 'change_all' }),
        ],
      };
    },
  },
];

/**
 * Returns a problem for each rejected write. The two concurrent writes can succeed in either order, so the service must
 * accept both writes.
 */
function rejectedWrites(responses: readonly { readonly status: number; readonly body: unknown }[]): string[] {
  return responses.filter(({ status }) => status !== 200).map(({ body }) => `refused: ${JSON.stringify(body)}`);
}

/** Pairs of concurrent writes to messages, with their allowed results. */
export const messagePairs: readonly ChatRacePair[] = [...sendRaces, ...keyedRaces, ...editRaces, ...flagRaces];
