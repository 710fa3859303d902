/** Type of a parsed JSON object in a request, response or event. */
type Json = Record<string, unknown>;

/**
 * Users, groups, bots and organization settings of a simulated client. The state starts from a response of POST
 * /register. Events update the state by the rules for clients in docs/contract/chat.md 3.4.
 */
export class PeopleState {
  readonly #users: Map<number, Json>;
  readonly #groups: Map<number, Json>;
  readonly #bots: Map<number, Json>;
  readonly #realm: Json;

  constructor(snapshot: Json) {
    const { realm_users: active, realm_non_active_users: inactive, realm_bots: bots } = snapshot;
    this.#users = byId([...list(active), ...list(inactive)], 'user_id');
    this.#groups = byId(list(snapshot['realm_user_groups']), 'id');
    this.#bots = byId(list(bots), 'user_id');
    this.#realm = Object.fromEntries(Object.entries(snapshot).filter(([name]) => isRealmField(name)));
  }

  /** Applies one event to users, groups, bots and settings. Events about other kinds of objects change nothing. */
  apply(event: Json): void {
    if (event['type'] === 'realm_user') this.#applyUser(event);
    if (event['type'] === 'user_group') this.#applyGroup(event);
    if (event['type'] === 'realm_bot') this.#applyBot(event);
    if (event['type'] === 'realm') this.#applyRealm(event);
  }

  /** Returns the simulated client's users, groups, bots and settings for comparisons. */
  toJSON(): Json {
    return {
      // Only lists contain these two fields; events do not.
      users: sortById(this.#users).map(({ is_imported_stub: _stub, is_deleted: _deleted, ...user }) => user),
      groups: sortById(this.#groups),
      bots: sortById(this.#bots),
      realm: this.#realm,
    };
  }

  #applyUser(event: Json): void {
    const person = object(event['person']);
    const id = Number(person['user_id']);
    if (event['op'] === 'add') {
      this.#users.set(id, person);
      return;
    }
    const user = get(this.#users, id);
    const {
      new_email: email,
      avatar_source: _source,
      avatar_url_medium: _medium,
      custom_profile_field: said,
      ...fields
    } = person;
    Object.assign(user, fields, email !== undefined && { email });
    if (said !== undefined) user['profile_data'] = withField(user['profile_data'], object(said));
    const { role } = person;
    if (typeof role === 'number') {
      Object.assign(user, { is_owner: role === 100, is_admin: role <= 200, is_guest: role === 600 });
    }
    const bot = this.#bots.get(id);
    if (bot && 'full_name' in person) bot['full_name'] = person['full_name'];
  }

  #applyGroup(event: Json): void {
    const id = Number(event['group_id']);
    switch (event['op']) {
      case 'add': {
        const group = object(event['group']);
        this.#groups.set(Number(group['id']), group);
        break;
      }
      case 'remove':
        if (!this.#groups.delete(id)) throw new Error(`Group ${id} was removed twice`);
        break;
      case 'update':
        Object.assign(get(this.#groups, id), event['data']);
        break;
      case 'add_members':
      case 'remove_members':
        change(get(this.#groups, id), 'members', event['user_ids'], event['op'] === 'add_members');
        break;
      default:
        change(
          get(this.#groups, id),
          'direct_subgroup_ids',
          event['direct_subgroup_ids'],
          event['op'] === 'add_subgroups',
        );
    }
  }

  #applyBot(event: Json): void {
    const bot = object(event['bot']);
    const id = Number(bot['user_id']);
    if (event['op'] === 'add') this.#bots.set(id, bot);
    else if (event['op'] === 'delete') this.#bots.delete(id);
    else Object.assign(get(this.#bots, id), bot);
  }

  #applyRealm(event: Json): void {
    const data = event['op'] === 'update' ? { [String(event['property'])]: event['value'] } : object(event['data']);
    for (const [name, value] of Object.entries(data)) {
      if (!(`realm_${name}` in this.#realm)) throw new Error(`The organization has no setting ${name}`);
      this.#realm[`realm_${name}`] = value;
    }
  }
}

const lists = new Set(['realm_users', 'realm_non_active_users', 'realm_bots', 'realm_user_groups']);

function isRealmField(name: string): boolean {
  return name.startsWith('realm_') && !lists.has(name);
}

/** Returns a copy of a user's profile data with a new value for one custom profile field. */
function withField(profile: unknown, { id, value, ...rest }: Json): Json {
  const { [String(id)]: _old, ...others } = object(profile ?? {});
  return value === null ? others : { ...others, [String(id)]: { value, ...rest } };
}

function object(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new Error('An event lacks its object');
  return { ...value };
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(object) : [];
}

function byId(objects: readonly Json[], key: string): Map<number, Json> {
  return new Map(objects.map((one) => [Number(one[key]), one]));
}

function sortById(objects: ReadonlyMap<number, Json>): Json[] {
  return [...objects].toSorted(([a], [b]) => a - b).map(([, one]) => one);
}

function get(objects: ReadonlyMap<number, Json>, id: number): Json {
  const found = objects.get(id);
  if (found === undefined) throw new Error(`An event about ${id}, which the client does not know`);
  return found;
}

/**
 * Adds ids to a list of a user group, or removes ids from the list. Throws if an added id is already in the list, or a
 * removed id is not in the list.
 */
function change(group: Json, key: string, ids: unknown, isAdded: boolean): void {
  const held = new Set<unknown>(Array.isArray(group[key]) ? group[key] : []);
  for (const id of Array.isArray(ids) ? ids : []) {
    if (held.has(id) === isAdded) throw new Error(`${String(id)} came into ${key} or left it twice`);
    if (isAdded) held.add(id);
    else held.delete(id);
  }
  group[key] = [...held].toSorted((a, b) => Number(a) - Number(b));
}
