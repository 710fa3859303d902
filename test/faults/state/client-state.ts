import { ChannelState } from '../../../apps/chat/test/client-of-channels.js';
import { PeopleState } from '../../../apps/chat/test/client-of-users.js';
import { listOf, type Json } from './json.js';

/** Values of `fetch_event_types` with which the tested chat client registers. */
export const fetchedTypes = [
  'realm',
  'realm_bot',
  'realm_user',
  'realm_user_groups',
  'stream',
  'subscription',
  'default_streams',
];
/** Event types by which the tested chat client updates its state. */
export const continuedTypes = [
  'realm',
  'realm_bot',
  'realm_user',
  'user_group',
  'stream',
  'subscription',
  'default_streams',
];

/**
 * State of a simulated chat client. The state is initialized by a response of POST /register and updated by events.
 * After all committed events, the state must equal the state of a new registration (docs/contract/chat.md 3.2).
 */
export class ClientState {
  readonly #people: PeopleState;
  readonly #channels: ChannelState;

  constructor(ownId: number, snapshot: Json) {
    // The state of channels includes the default channels.
    const { realm_default_streams: _defaults, ...ofPeople } = snapshot;
    this.#people = new PeopleState(ofPeople);
    this.#channels = new ChannelState(ownId, snapshot);
  }

  /**
   * Applies one event to the state of the client.
   *
   * @throws Error if the event contradicts the state
   */
  apply(event: Json): void {
    this.#people.apply(event);
    this.#channels.apply(event);
  }

  /**
   * Returns the state of the client for comparisons: `people`, `groups`, `bots` and `channels` by id, the ids of the
   * `defaults`, and the `realm`.
   */
  toJSON(): Json {
    const { users, groups, bots, realm } = this.#people.toJSON();
    const { defaults, channels } = this.#channels.toJSON();
    return {
      people: byId(users, 'user_id'),
      groups: byId(groups, 'id'),
      bots: byId(bots, 'user_id'),
      channels: byId(channels, 'stream_id'),
      defaults,
      realm,
    };
  }
}

function byId(list: unknown, key: string): Json {
  return Object.fromEntries(listOf(list).map((one) => [String(one[key]), one]));
}
