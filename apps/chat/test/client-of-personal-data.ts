/** Type of a parsed JSON object in a request, response or event. */
type Json = Record<string, unknown>;

/** Map from event types to the fields of the `POST /register` response whose list the event replaces completely. */
const wholeLists: Readonly<Record<string, { readonly key: string; readonly field: string }>> = {
  alert_words: { key: 'alert_words', field: 'alert_words' },
  muted_users: { key: 'muted_users', field: 'muted_users' },
  onboarding_steps: { key: 'onboarding_steps', field: 'onboarding_steps' },
  custom_profile_fields: { key: 'fields', field: 'custom_profile_fields' },
};

/**
 * Personal data and profiles of a simulated client. The state starts from a response of POST /register. Events update
 * the state by the rules for clients in docs/contract/chat.md 3.4.
 */
export class PersonalState {
  readonly #state: Record<string, unknown>;

  constructor(snapshot: Json) {
    const people = [...list(snapshot['realm_users']), ...list(snapshot['realm_non_active_users'])];
    const users = people.map(({ user_id, profile_data }) => [String(user_id), profile_data ?? {}]);
    this.#state = {
      ...pick(snapshot, ['alert_words', 'muted_users', 'custom_profile_fields', 'user_settings', 'user_status']),
      ...pick(snapshot, ['drafts', 'saved_snippets', 'navigation_views', 'devices', 'realm_user_settings_defaults']),
      ...pick(snapshot, ['onboarding_steps', 'scheduled_messages', 'reminders']),
      profiles: Object.fromEntries(users),
    };
  }

  /** Applies one event to the personal data. Events about other kinds of objects change nothing. */
  apply(event: Json): void {
    const type = String(event['type']);
    const whole = wholeLists[type];
    if (whole !== undefined) this.#state[whole.field] = event[whole.key];
    else if (type === 'user_settings') this.#set('user_settings', event);
    else if (type === 'realm_user_settings_defaults') this.#set('realm_user_settings_defaults', event);
    else if (type === 'user_status') this.#applyStatus(event);
    else if (type === 'realm_user') this.#applyProfile(event);
    else if (type === 'drafts') this.#applyItem('drafts', 'id', event, event['draft'], event['draft_id']);
    else if (type === 'saved_snippets') {
      this.#applyItem('saved_snippets', 'id', event, event['saved_snippet'], event['saved_snippet_id']);
    } else if (type === 'scheduled_messages') {
      this.#applyItem(type, 'scheduled_message_id', event, event['scheduled_message'], event['scheduled_message_id']);
    } else if (type === 'reminders') this.#applyItem(type, 'reminder_id', event, undefined, event['reminder_id']);
    else if (type === 'navigation_view') {
      const changed = event['op'] === 'update' ? { fragment: event['fragment'], ...json(event['data']) } : undefined;
      const item = event['navigation_view'] ?? changed;
      this.#applyItem('navigation_views', 'fragment', event, item, event['fragment']);
    }
  }

  /** Returns the simulated client's personal data for comparisons. */
  toJSON(): Json {
    const drafts = list(this.#state['drafts']).toSorted((a, b) => order(a) - order(b));
    const scheduled = list(this.#state['scheduled_messages']).toSorted((a, b) => deliveryOrder(a) - deliveryOrder(b));
    return structuredClone({ ...this.#state, drafts, scheduled_messages: scheduled });
  }

  #set(field: string, { property, value }: Json): void {
    this.#state[field] = { ...json(this.#state[field]), [String(property)]: value };
  }

  #applyStatus({ type: _type, id: _id, user_id: userId, ...change }: Json): void {
    const statuses = json(this.#state['user_status']);
    const merged = { ...json(statuses[String(userId)]), ...change };
    const left = Object.entries(merged).filter(([, value]) => value !== '' && value !== false);
    const { [String(userId)]: _old, ...others } = statuses;
    this.#state['user_status'] = left.length === 0 ? others : { ...others, [String(userId)]: Object.fromEntries(left) };
  }

  #applyProfile(event: Json): void {
    const person = json(event['person']);
    if (event['op'] === 'add') {
      const { user_id: id, profile_data: said = {} } = person;
      this.#state['profiles'] = { [String(id)]: said, ...json(this.#state['profiles']) };
    }
    if (event['op'] !== 'update' || person['custom_profile_field'] === undefined) return;
    const { id, value, ...rest } = json(person['custom_profile_field']);
    const profiles = json(this.#state['profiles']);
    const { [String(id)]: _old, ...others } = json(profiles[String(person['user_id'])]);
    const said = value === null ? others : { ...others, [String(id)]: { value, ...rest } };
    this.#state['profiles'] = { ...profiles, [String(person['user_id'])]: said };
  }

  #applyItem(field: string, key: string, event: Json, item: unknown, removed: unknown): void {
    const items = list(this.#state[field]);
    if (event['op'] === 'remove') this.#state[field] = items.filter((one) => one[key] !== removed);
    else if (event['op'] === 'add') this.#state[field] = [...items, ...list(event[field] ?? [item])];
    else {
      const changed = json(item);
      this.#state[field] = items.map((one) => (one[key] === changed[key] ? { ...one, ...changed } : one));
    }
  }
}

function order(draft: Json): number {
  return Number(draft['timestamp']) * 1e6 + Number(draft['id']);
}

function deliveryOrder(message: Json): number {
  return Number(message['scheduled_delivery_timestamp']) * 1e4 + Number(message['scheduled_message_id']);
}

function json(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(json) : [];
}

function pick(from: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}
