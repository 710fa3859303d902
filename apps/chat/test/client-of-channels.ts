/** Type of a parsed JSON object in a request, response or event. */
type Json = Record<string, unknown>;

const preferences = [
  'color',
  'is_muted',
  'in_home_view',
  'pin_to_top',
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
];

interface Channel {
  readonly fields: Json;
  readonly subscribers: Set<number>;
  own: Json | null;
}

/**
 * Channel state of a simulated client. The state starts from a response of POST /register with all subscribers. Events
 * update the state by the rules for clients in docs/contract/chat.md 3.4.
 */
export class ChannelState {
  readonly #channels = new Map<number, Channel>();
  #defaults: readonly number[] = [];

  constructor(
    private readonly ownId: number,
    snapshot: Json,
  ) {
    const { subscriptions, unsubscribed, never_subscribed: never } = snapshot;
    for (const one of list(subscriptions)) this.#put(one, pick(one, preferences));
    for (const one of [...list(unsubscribed), ...list(never)]) this.#put(one, null);
    for (const one of list(snapshot['streams'])) {
      if (!this.#channels.has(Number(one['stream_id']))) throw new Error('A channel is in streams alone');
    }
    this.#defaults = numbers(snapshot['realm_default_streams']);
  }

  /** Applies one event to the channels. Events about other kinds of objects change nothing. */
  apply(event: Json): void {
    if (event['type'] === 'default_streams') this.#defaults = numbers(event['default_streams']);
    if (event['type'] === 'stream') this.#applyStream(event);
    if (event['type'] === 'subscription') this.#applySubscription(event);
  }

  /**
   * Returns the channels of the simulated client for comparisons. Archived channels are omitted, and the order is
   * normalized.
   */
  toJSON(): Json {
    const channels = [...this.#channels].toSorted(([a], [b]) => a - b);
    return {
      defaults: this.#defaults,
      channels: channels.map(([, { fields, subscribers, own }]) => ({
        ...fields,
        subscribers: [...subscribers].toSorted((a, b) => a - b),
        own,
      })),
    };
  }

  #applyStream(event: Json): void {
    switch (event['op']) {
      case 'create':
        for (const one of list(event['streams'])) this.#put({ ...one, subscribers: [] }, null);
        break;
      case 'delete':
        for (const id of numbers(event['stream_ids'])) this.#channels.delete(id);
        break;
      default: {
        const channel = this.#get(Number(event['stream_id']));
        channel.fields[String(event['property'])] = event['value'];
        Object.assign(channel.fields, pick(event, ['rendered_description']));
        Object.assign(channel.fields, pick(event, ['history_public_to_subscribers', 'is_web_public']));
      }
    }
  }

  #applySubscription(event: Json): void {
    const ids = numbers(event['stream_ids']);
    switch (event['op']) {
      case 'add':
        for (const one of list(event['subscriptions'])) this.#put(one, pick(one, preferences));
        break;
      case 'remove':
        for (const one of list(event['subscriptions'])) {
          const channel = this.#get(Number(one['stream_id']));
          channel.own = null;
          this.#count(channel, [this.ownId], false);
        }
        break;
      case 'update':
        Object.assign(this.#get(Number(event['stream_id'])).own ?? {}, {
          [String(event['property'])]: event['value'],
        });
        break;
      default:
        for (const id of ids) this.#count(this.#get(id), numbers(event['user_ids']), event['op'] === 'peer_add');
    }
  }

  #count(channel: Channel, userIds: readonly number[], join: boolean): void {
    for (const id of userIds) {
      if (channel.subscribers.has(id) === join) throw new Error(`${id} joined or left twice`);
      if (join) channel.subscribers.add(id);
      else channel.subscribers.delete(id);
    }
    const count = Number(channel.fields['subscriber_count']);
    channel.fields['subscriber_count'] = count + (join ? userIds.length : -userIds.length);
  }

  #get(id: number): Channel {
    const channel = this.#channels.get(id);
    if (channel === undefined) throw new Error(`An event about channel ${id}, which the client does not know`);
    return channel;
  }

  #put(one: Json, own: Json | null): void {
    const hidden = new Set([...preferences, 'subscribers', 'partial_subscribers']);
    const fields = Object.fromEntries(Object.entries(one).filter(([name]) => !hidden.has(name)));
    this.#channels.set(Number(one['stream_id']), { fields, subscribers: new Set(numbers(one['subscribers'])), own });
  }
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((one): one is Json => typeof one === 'object' && one !== null) : [];
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'number') : [];
}

function pick(from: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}
