import { chance } from './random-numbers.js';
import type { DemoUser } from './chat-server.js';

/** A test request, with the name of the demo user who sends the request. */
export interface Operation {
  readonly by: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly form?: Record<string, string>;
}

/** Names of the demo users who send requests. The first user is the owner, and the last user is a guest. */
export const people = ['desdemona', 'iago', 'hamlet', 'cordelia', 'othello', 'zoe', 'polonius'] as const;

/** Existing channels, messages and ids of the realm to which random operations can refer. */
export interface World {
  readonly ids: Readonly<Record<string, number>>;
  readonly channels: readonly { readonly id: number; readonly name: string }[];
  /** Channel messages with the names of their senders, in the order of sending. */
  readonly messages: readonly { readonly id: number; readonly sender: string }[];
}

const topics = ['plain', 'busy', '✔ done', 'lunch'] as const;
const contents = [
  'plain',
  'plain again',
  'about walnut',
  'for @**King Hamlet**',
  "for @**Cordelia, Lear's daughter** and walnut",
  '@**all** listen',
  '@**topic** listen',
  '@*hamletcharacters*',
  'for @**Polonius** and @**Zoe**',
] as const;

/** Chooses random requests of demo users. Equal seeds and equal existing objects produce equal requests. */
export class RandomOperations {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = chance(seed);
  }

  /** Returns true with the given probability, at random. */
  happens(probability: number): boolean {
    return this.#random() < probability;
  }

  pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.#random() * of.length)]!;
  }

  /** Returns a request that lists the users who have read a random message. */
  receipts(world: World): Operation {
    return { by: 'desdemona', method: 'GET', path: `/messages/${this.#message(world)}/read_receipts` };
  }

  next(world: World): Operation {
    const kinds = [
      ...Array<() => Operation>(12).fill(() => this.#send(world)),
      ...Array<() => Operation>(5).fill(() => this.#edit(world)),
      ...Array<() => Operation>(2).fill(() => this.#move(world)),
      ...Array<() => Operation>(4).fill(() => this.#subscription(world)),
      ...Array<() => Operation>(2).fill(() => this.#read(world)),
      ...Array<() => Operation>(2).fill(() => this.#own(world)),
      () => this.#administrate(world),
      () => this.#administrate(world),
    ];
    return this.pick(kinds)();
  }

  #message({ messages }: World): number {
    return this.pick(messages.slice(-25)).id;
  }

  #send({ ids, channels }: World): Operation {
    const by = this.pick(people);
    const content = this.pick(contents);
    if (this.happens(0.15)) {
      const to = JSON.stringify([ids[this.pick(people)], ids[this.pick(people)]]);
      return { by, method: 'POST', path: '/messages', form: { type: 'direct', to, content } };
    }
    const form = { type: 'stream', to: String(this.pick(channels).id), topic: this.pick(topics), content };
    return { by: this.happens(0.2) ? by : 'desdemona', method: 'POST', path: '/messages', form };
  }

  #edit(world: World): Operation {
    const { id, sender } = this.pick(world.messages.slice(-12));
    const path = `/messages/${id}`;
    if (this.happens(0.15)) return { by: 'desdemona', method: 'DELETE', path };
    if (this.happens(0.2)) {
      const form = { emoji_name: 'tada' };
      return { by: this.pick(people), method: 'POST', path: `${path}/reactions`, form };
    }
    const by = people.find((name) => name === sender) ?? this.pick(people);
    return { by, method: 'PATCH', path, form: { content: this.pick(contents) } };
  }

  #move(world: World): Operation {
    const form = {
      propagate_mode: this.pick(['change_one', 'change_later', 'change_all']),
      ...(this.happens(0.5) && { topic: this.pick(topics) }),
      ...(this.happens(0.5) && { stream_id: String(this.pick(world.channels).id) }),
      send_notification_to_old_thread: 'true',
    };
    return { by: 'desdemona', method: 'PATCH', path: `/messages/${this.#message(world)}`, form };
  }

  #subscription({ ids, channels }: World): Operation {
    const { id, name } = this.pick(channels);
    const principals = JSON.stringify([ids[this.pick(people)]]);
    const path = '/users/me/subscriptions';
    if (this.happens(0.45)) {
      const form = { subscriptions: JSON.stringify([{ name }]), principals };
      return { by: 'desdemona', method: 'POST', path, form };
    }
    if (this.happens(0.7)) {
      return { by: 'desdemona', method: 'DELETE', path, form: { subscriptions: JSON.stringify([name]), principals } };
    }
    const property = this.pick(['is_muted', 'desktop_notifications', 'email_notifications']);
    const change = { stream_id: id, property, value: this.happens(0.5) };
    const form = { subscription_data: JSON.stringify([change]) };
    return { by: this.pick(people), method: 'POST', path: '/users/me/subscriptions/properties', form };
  }

  #read(world: World): Operation {
    const by = this.pick(people);
    const narrow = JSON.stringify(
      this.pick([
        [],
        [{ operator: 'is', operand: 'unread' }],
        [{ operator: 'is', operand: 'mentioned' }],
        [{ operator: 'channel', operand: this.pick(world.channels).id }],
        [{ operator: 'mentions', operand: world.ids[this.pick(people)] }],
      ]),
    );
    const page = `narrow=${encodeURIComponent(narrow)}&num_before=30&num_after=0&anchor=newest`;
    return this.pick([
      () => ({ by, method: 'GET' as const, path: `/messages?${page}` }),
      () => ({ by, method: 'GET' as const, path: `/messages/${this.#message(world)}` }),
      () => ({ by: 'desdemona', method: 'GET' as const, path: `/messages/${this.#message(world)}/read_receipts` }),
      () => ({ by: 'iago', method: 'GET' as const, path: `/messages/${this.#message(world)}/read_receipts` }),
      () => ({ by, method: 'GET' as const, path: `/users/me/${this.pick(world.channels).id}/topics` }),
    ])();
  }

  #own(world: World): Operation {
    const by = this.pick(people);
    const channel = this.pick(world.channels);
    const other = world.ids[this.pick(people)];
    const policy = {
      stream_id: String(channel.id),
      topic: this.pick(topics),
      visibility_policy: this.pick(['0', '1', '3']),
    };
    const narrow = JSON.stringify([{ operator: 'channel', operand: channel.id }]);
    const flags = {
      anchor: 'newest',
      num_before: '10',
      num_after: '0',
      narrow,
      op: 'add',
      flag: this.pick(['read', 'starred']),
    };
    return this.pick<Operation>([
      { by, method: 'POST', path: '/user_topics', form: policy },
      { by, method: this.pick(['POST', 'DELETE']), path: `/users/me/muted_users/${other}` },
      { by, method: this.pick(['POST', 'DELETE']), path: '/users/me/alert_words', form: { alert_words: '["walnut"]' } },
      { by, method: 'POST', path: '/messages/flags/narrow', form: flags },
      { by, method: 'POST', path: '/mark_all_as_read' },
    ]);
  }

  #administrate(world: World): Operation {
    const by = 'desdemona';
    const user = world.ids[this.pick(people.slice(2))];
    const channel = `/streams/${this.pick(world.channels).id}`;
    const setting = this.pick(['enable_stream_email_notifications', 'enable_stream_desktop_notifications']);
    const target = JSON.stringify({ user_ids: [user] });
    return this.pick<Operation>([
      { by, method: 'DELETE', path: `/users/${user}` },
      { by, method: 'POST', path: `/users/${user}/reactivate` },
      { by, method: 'POST', path: `/users/${user}/reactivate` },
      { by, method: 'PATCH', path: `/users/${user}`, form: { role: this.pick(['400', '600']) } },
      { by, method: 'PATCH', path: channel, form: this.#privacy() },
      { by, method: 'PATCH', path: '/settings', form: { target_users: target, [setting]: String(this.happens(0.5)) } },
      this.happens(0.3)
        ? { by, method: 'DELETE', path: channel }
        : { by, method: 'PATCH', path: channel, form: { is_archived: 'false' } },
    ]);
  }

  #privacy(): Record<string, string> {
    return this.pick([
      { is_private: 'false' },
      { is_private: 'true', history_public_to_subscribers: 'true' },
      { is_private: 'true', history_public_to_subscribers: 'false' },
    ]);
  }
}

/**
 * Sends a request of a demo user. Returns the response without times, and without names that differ between the two
 * compared realms.
 */
export async function perform(users: ReadonlyMap<string, DemoUser>, operation: Operation): Promise<unknown> {
  const { by, method, path, form } = operation;
  const { status, body } = await users
    .get(by)!
    .client.request<unknown>(method, `/api/v1${path}`, { ...(form && { form }) });
  return { status, body: withoutTimes(body) };
}

const different = /timestamp|date|time|queue_id|last_event_id|api_key|url|generation|cache/u;

/** Returns a copy of a response without the fields that depend on the time or on random numbers. */
function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (different.test(name) ? [] : [[name, withoutTimes(inner)]])),
  );
}
