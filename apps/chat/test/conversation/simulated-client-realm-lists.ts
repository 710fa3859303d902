/** Type of a parsed JSON object in a request, response or event. */
type Json = Record<string, unknown>;

/**
 * Regular expression of the names of snapshot fields that no event updates. The fields derive from settings,
 * permissions, time or presence, or are not part of a client's state.
 */
const derived =
  /^(queue_id|last_event_id|presences|presence_last_update_id|max_message_id|server_(?:generation|timestamp)|can_\w+)$/;

/** Regular expression of the names of snapshot fields that other test models compare. */
const followedElsewhere = new RegExp(
  `^(${[
    'realm_(?!linkifiers|filters|domains|emoji|playgrounds|default_stream_groups).+|cross_realm_bots|streams|subscriptions|unsubscribed',
    'never_subscribed|unread_msgs|starred_messages|alert_words|muted_users|custom_profile_fields|user_settings',
    'user_status|drafts|saved_snippets|navigation_views|devices|onboarding_steps|scheduled_messages|reminders',
  ].join('|')})$`,
);

/**
 * The realm's lists, topics, conversations and constant fields of a simulated client. The state starts from a response
 * of POST /register. Events update the state by the rules for clients in docs/contract/chat.md 3.4.
 */
export class RealmListsState {
  readonly #state: Json;

  constructor(
    private readonly ownId: number,
    snapshot: Json,
  ) {
    this.#state = Object.fromEntries(
      Object.entries(snapshot).filter(([name]) => !derived.test(name) && !followedElsewhere.test(name)),
    );
  }

  /** Applies one event to the realm's lists. Events about other kinds of objects change nothing. */
  apply(event: Json): void {
    const { type, op } = event;
    if (type === 'user_topic') this.#applyTopic(event);
    if (type === 'realm_linkifiers') this.#state['realm_linkifiers'] = event['realm_linkifiers'];
    if (type === 'default_stream_groups') {
      this.#state['realm_default_stream_groups'] = event['default_stream_groups'];
    }
    if (type === 'realm_playgrounds') this.#state['realm_playgrounds'] = event['realm_playgrounds'];
    if (type === 'channel_folder') this.#applyFolder(event);
    if (type === 'realm_domains') {
      const domain = json(event['realm_domain'] ?? { domain: event['domain'] });
      const others = this.#list('realm_domains').filter((one) => one['domain'] !== domain['domain']);
      this.#state['realm_domains'] = op === 'remove' ? others : [...others, domain];
    }
    if (type === 'message') this.#applyMessage(json(event['message']));
    if (type === 'realm_user' && op === 'update') this.#applyOwn(json(event['person']));
  }

  /** Returns the realm's lists for comparisons. */
  toJSON(): Json {
    return {
      ...this.#state,
      user_topics: this.#list('user_topics').toSorted((a, b) => topicKey(a).localeCompare(topicKey(b))),
      realm_domains: this.#list('realm_domains').toSorted((a, b) =>
        String(a['domain']).localeCompare(String(b['domain'])),
      ),
      recent_private_conversations: this.#list('recent_private_conversations').toSorted(
        (a, b) => Number(b['max_message_id']) - Number(a['max_message_id']),
      ),
    };
  }

  #list(name: string): Json[] {
    const value = this.#state[name];
    return Array.isArray(value) ? value.map(json) : [];
  }

  #applyTopic({ type: _type, id: _id, ...topic }: Json): void {
    const others = this.#list('user_topics').filter((one) => topicKey(one) !== topicKey(topic));
    this.#state['user_topics'] = topic['visibility_policy'] === 0 ? others : [...others, topic];
  }

  #applyFolder(event: Json): void {
    const folders = this.#list('channel_folders');
    if (event['op'] === 'add') this.#state['channel_folders'] = [...folders, json(event['channel_folder'])];
    if (event['op'] === 'update') {
      this.#state['channel_folders'] = folders.map((one) =>
        one['id'] === event['channel_folder_id'] ? { ...one, ...json(event['data']) } : one,
      );
    }
  }

  #applyMessage(message: Json): void {
    if (message['type'] !== 'private') return;
    const people = Array.isArray(message['display_recipient']) ? message['display_recipient'].map(json) : [];
    const ids = people.map((one) => Number(one['id'])).filter((id) => id !== this.ownId);
    const user_ids = ids.toSorted((a, b) => a - b);
    const conversations = this.#list('recent_private_conversations');
    const isSame = (one: Json) => JSON.stringify(one['user_ids']) === JSON.stringify(user_ids);
    // Messages sent concurrently may be committed in another order than that of their ids.
    const known = Number(conversations.find(isSame)?.['max_message_id'] ?? 0);
    const max_message_id = Math.max(known, Number(message['id']));
    const others = conversations.filter((one) => !isSame(one));
    this.#state['recent_private_conversations'] = [...others, { max_message_id, user_ids }];
  }

  #applyOwn(person: Json): void {
    if (person['user_id'] !== this.ownId) return;
    if ('full_name' in person) this.#state['full_name'] = person['full_name'];
    const { role } = person;
    if (typeof role !== 'number') return;
    Object.assign(this.#state, {
      is_owner: role === 100,
      is_admin: role <= 200,
      is_billing_admin: role <= 200,
      is_moderator: role <= 300,
      is_guest: role === 600,
    });
  }
}

function topicKey(topic: Json): string {
  return `${String(topic['stream_id'])}>${String(topic['topic_name']).toLowerCase()}`;
}

function json(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
