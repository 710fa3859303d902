/** Type of a parsed JSON object in a request, response or event. */
type Json = Record<string, unknown>;

interface Unread {
  conversation: string;
  mentioned: boolean;
}

const mentionFlags = ['mentioned', 'stream_wildcard_mentioned', 'topic_wildcard_mentioned'];

/**
 * Unread and starred messages of a simulated client. The state starts from a response of POST /register with the types
 * message, update_message_flags, starred_messages and subscription. Events update the state by the rules for clients in
 * docs/contract/chat.md 3.4.
 */
export class MessageState {
  readonly #unread = new Map<number, Unread>();
  readonly #starred: Set<number>;
  readonly #subscribed: Set<number>;

  constructor(
    private readonly ownId: number,
    snapshot: Json,
  ) {
    const unread = object(snapshot['unread_msgs']);
    const mentions = new Set(numbers(unread['mentions']));
    const put = (conversation: string, ids: unknown) => {
      for (const id of numbers(ids)) this.#unread.set(id, { conversation, mentioned: mentions.has(id) });
    };
    for (const one of list(unread['streams']))
      put(channelKey(one['stream_id'], one['topic']), one['unread_message_ids']);
    for (const one of list(unread['pms'])) put(directKey([Number(one['other_user_id'])]), one['unread_message_ids']);
    for (const one of list(unread['huddles'])) {
      const ids = String(one['user_ids_string']).split(',').map(Number);
      put(directKey(ids.filter((id) => id !== ownId)), one['unread_message_ids']);
    }
    this.#starred = new Set(numbers(snapshot['starred_messages']));
    this.#subscribed = new Set(list(snapshot['subscriptions']).map((one) => Number(one['stream_id'])));
  }

  /** Applies one event to the messages. Events about other kinds of objects change nothing. */
  apply(event: Json): void {
    if (event['type'] === 'message') this.#applyMessage(event);
    if (event['type'] === 'update_message') this.#applyUpdate(event);
    if (event['type'] === 'update_message_flags') this.#applyFlags(event);
    if (event['type'] === 'delete_message') this.#remove(event['message_ids'] ?? [event['message_id']]);
    if (event['type'] === 'subscription') this.#applySubscription(event);
  }

  /** Returns the simulated client's unread and starred messages for comparisons. */
  toJSON(): Json {
    return {
      unread: [...this.#unread].toSorted(([a], [b]) => a - b),
      starred: [...this.#starred].toSorted((a, b) => a - b),
    };
  }

  /**
   * Removes the unread messages of channels that the user has unsubscribed from, because an unsubscription marks the
   * messages as read. A new subscription does not restore the unread messages.
   */
  #applySubscription(event: Json): void {
    for (const one of list(event['subscriptions'])) {
      const id = Number(one['stream_id']);
      if (event['op'] === 'add') this.#subscribed.add(id);
      if (event['op'] !== 'remove') continue;
      this.#subscribed.delete(id);
      for (const [messageId, { conversation }] of this.#unread) {
        if (conversation.startsWith(`${id}>`)) this.#unread.delete(messageId);
      }
    }
  }

  #applyMessage(event: Json): void {
    const message = object(event['message']);
    const flags = texts(event['flags']);
    if (flags.includes('read')) return;
    const conversation =
      message['type'] === 'stream'
        ? channelKey(message['stream_id'], message['subject'])
        : directKey(this.#others(list(message['display_recipient']).map((one) => Number(one['id']))));
    this.#unread.set(Number(message['id']), { conversation, mentioned: isMention(flags) });
  }

  #applyUpdate(event: Json): void {
    const edited = this.#unread.get(Number(event['message_id']));
    if (edited !== undefined) edited.mentioned = isMention(texts(event['flags']));
    if (event['propagate_mode'] === undefined) return;
    const channel = event['new_stream_id'] ?? event['stream_id'];
    for (const id of numbers(event['message_ids'])) {
      const unread = this.#unread.get(id);
      if (unread === undefined) continue;
      if (!this.#subscribed.has(Number(channel))) this.#unread.delete(id);
      else unread.conversation = channelKey(channel, event['subject'] ?? event['orig_subject']);
    }
  }

  #applyFlags(event: Json): void {
    const adds = event['op'] === 'add';
    const details = object(event['message_details'] ?? {});
    for (const id of numbers(event['messages'])) {
      if (event['flag'] === 'starred' && adds) this.#starred.add(id);
      if (event['flag'] === 'starred' && !adds) this.#starred.delete(id);
      if (event['flag'] === 'read' && adds) this.#unread.delete(id);
      if (event['flag'] === 'read' && !adds) this.#unread.set(id, this.#unreadOf(object(details[id])));
    }
  }

  #unreadOf(detail: Json): Unread {
    const conversation =
      detail['type'] === 'stream'
        ? channelKey(detail['stream_id'], detail['topic'])
        : directKey(this.#others(numbers(detail['user_ids'])));
    return { conversation, mentioned: detail['mentioned'] === true };
  }

  #remove(ids: unknown): void {
    for (const id of numbers(ids)) {
      this.#unread.delete(id);
      this.#starred.delete(id);
    }
  }

  /**
   * Returns the ids of the other participants of a direct conversation. For a conversation of the user alone, returns
   * the user's id.
   */
  #others(ids: readonly number[]): number[] {
    const others = ids.filter((id) => id !== this.ownId);
    return others.length === 0 ? [this.ownId] : others;
  }
}

function channelKey(channel: unknown, topic: unknown): string {
  return `${String(channel)}>${String(topic).toLowerCase()}`;
}

function directKey(ids: readonly number[]): string {
  return ids.toSorted((a, b) => a - b).join();
}

function isMention(flags: readonly string[]): boolean {
  return mentionFlags.some((flag) => flags.includes(flag));
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
