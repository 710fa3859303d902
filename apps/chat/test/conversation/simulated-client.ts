import { ChannelState } from '../client-of-channels.js';
import { createBasicAuthorization, type ChatProcess, type DemoUser } from '../chat-server.js';
import { MessageState } from '../client-of-messages.js';
import { PeopleState } from '../client-of-users.js';
import { PersonalState } from '../client-of-personal-data.js';
import { RealmListsState } from './simulated-client-realm-lists.js';

type Json = Record<string, unknown>;
type Method = 'get' | 'post' | 'patch' | 'delete';

/** Sets of client capabilities that test clients send with POST /register, by name of the client type. */
export const capabilities = {
  older: {},
  newer: {
    archived_channels: true,
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_list_incomplete: true,
    include_deactivated_groups: true,
    empty_topic_name: true,
    individual_emoji_changes: true,
    simplified_presence_events: true,
  },
};

/** The complete state that a simulated client maintains: channels, messages, people, personal data and realm lists. */
class WholeState {
  readonly #parts: readonly { apply(event: Json): void; toJSON(): Json }[];

  constructor(ownId: number, snapshot: Json) {
    const lists =
      /^realm_(linkifiers|filters|domains|emoji|playgrounds|default_streams|default_stream_groups|user_settings_defaults)$/;
    const people = Object.fromEntries(Object.entries(snapshot).filter(([name]) => !lists.test(name)));
    this.#parts = [
      new ChannelState(ownId, snapshot),
      new MessageState(ownId, snapshot),
      new PeopleState(people),
      new PersonalState(snapshot),
      new RealmListsState(ownId, snapshot),
    ];
  }

  apply(event: Json): void {
    for (const part of this.#parts) part.apply(event);
  }

  toJSON(): Json[] {
    return this.#parts.map((part) => part.toJSON());
  }
}

/** A simulated client of one user. The client can poll its event queue at each of several chat processes. */
export class ConversationClient {
  #queueId = '';
  #last = -1;
  #state: WholeState | undefined;

  constructor(
    readonly name: string,
    readonly user: DemoUser,
    private readonly processes: readonly ChatProcess[],
    private readonly form: keyof typeof capabilities,
  ) {}

  get id(): number {
    return this.user.id;
  }

  /**
   * Sends a request to the chat process with the index `at`. The test fails for 5xx responses, but not for 4xx
   * responses.
   */
  async request(at: number, method: Method, path: string, fields: Json = {}): Promise<Json> {
    const texts = Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    );
    const process = this.processes[at % this.processes.length]!;
    const client = process.client.withHeaders(createBasicAuthorization(this.user.email, this.user.apiKey));
    const { status, body } = await client[method]<Json>(
      `/api/v1/${path}`,
      method === 'get' ? { query: texts } : { form: texts },
    );
    if (status >= 500) throw new Error(`${this.name}: ${method} ${path} responded with ${status}`);
    return body;
  }

  /**
   * Polls the process with the index `at` and applies pending events. If the event queue was removed, registers a new
   * queue.
   */
  async follow(at: number): Promise<void> {
    if (this.#state === undefined) return this.#begin(at);
    const query = { queue_id: this.#queueId, last_event_id: this.#last, dont_block: true };
    const { events, code } = await this.request(at, 'get', 'events', query);
    if (!Array.isArray(events)) {
      this.#state = undefined;
      if (code === 'BAD_EVENT_QUEUE_ID') await this.#begin(at);
      return;
    }
    for (const event of events) {
      this.#last = Number(event['id']);
      this.#state.apply(event);
    }
  }

  /**
   * Returns two states for comparison: the state that the client computed from events, and the state of a client that
   * registers now.
   */
  async compare(at: number): Promise<{ byEvents: Json[] | undefined; afresh: Json[] }> {
    await this.follow(at);
    const afresh = new WholeState(this.id, await this.#register(at)).toJSON();
    return { byEvents: this.#state?.toJSON(), afresh };
  }

  async #begin(at: number): Promise<void> {
    const snapshot = await this.#register(at);
    if (snapshot['result'] !== 'success') return;
    this.#queueId = String(snapshot['queue_id']);
    this.#last = Number(snapshot['last_event_id']);
    this.#state = new WholeState(this.id, snapshot);
  }

  #register(at: number): Promise<Json> {
    return this.request(at, 'post', 'register', {
      include_subscribers: true,
      client_capabilities: capabilities[this.form],
    });
  }
}
