import { isDeepStrictEqual } from 'node:util';
import { readChatResponse } from '../classify-responses.js';
import type { ChatUser } from '../chat/chat-user.js';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import { ClientState, continuedTypes, fetchedTypes } from '../state/client-state.js';
import { type Json, listOf } from '../state/json.js';

/** Registration parameters for the two kinds of tested clients, which receive different events. */
export const clientForms: readonly Json[] = [
  {},
  { archived_channels: true, include_deactivated_groups: true, notification_settings_null: true },
];

const watchedTypes = [...continuedTypes, 'message'];

/** A chat client that registers while other clients write, and that then updates its state by events. */
export class Watcher {
  /** Number of events that this client has applied to its state. */
  events = 0;
  /** Number of registrations in which this client continued its former event queue. */
  deltas = 0;
  #position = -1;
  readonly #applied: Json[] = [];

  private constructor(
    private readonly user: ChatUser,
    private readonly form: Json,
    private queueId: string,
    private state: ClientState,
  ) {}

  static async register(user: ChatUser, form: Json): Promise<Watcher> {
    for (;;) {
      const snapshot = await registerClient(user, form, watchedTypes);
      if (snapshot === null) await pause(20);
      else return new Watcher(user, form, String(snapshot['queue_id']), new ClientState(user.id, snapshot));
    }
  }

  /**
   * Applies events to the client's state until a message with the content `marker` arrives. Then compares the state
   * with a new registration.
   *
   * @returns the difference, null for equal states, or `gone` if the event queue has ended, for example after a change
   * of the user's role
   */
  async compare(marker: string): Promise<string | null> {
    try {
      if ((await this.#follow(marker)) === 'gone') return 'gone';
    } catch (error) {
      return `${this.#name}: ${error instanceof Error ? error.message : String(error)}; events: ${this.#about('')}`;
    }
    const snapshot = await registerClient(this.user, this.form, ['heartbeat']);
    if (snapshot === null) return `${this.#name}: no fresh snapshot`;
    await this.user.call('DELETE', 'events', { queue_id: String(snapshot['queue_id']) });
    const difference = firstDifference(this.state.toJSON(), new ClientState(this.user.id, snapshot).toJSON(), '');
    return difference === null ? null : `${this.#name}: ${difference}; events: ${this.#about(difference)}`;
  }

  /**
   * Registers the client again with the ids of the former event queue and the last applied event. Applies the returned
   * events since then, or replaces the state by the new snapshot if the former queue has ended.
   */
  async registerAgain(): Promise<void> {
    const known = { queue_id: this.queueId, last_event_id: this.#position };
    const snapshot = await registerClient(this.user, this.form, watchedTypes, known);
    if (snapshot === null) return;
    await this.unregister();
    const { delta } = snapshot;
    if (delta === null) this.state = new ClientState(this.user.id, snapshot);
    else this.deltas += 1;
    for (const event of listOf(member(delta, 'events'))) this.#apply(event);
    this.queueId = String(snapshot['queue_id']);
    this.#position = -1;
  }

  async unregister(): Promise<void> {
    await this.user.call('DELETE', 'events', { queue_id: this.queueId });
  }

  async #follow(marker: string): Promise<'gone' | 'there'> {
    for (;;) {
      const query = { queue_id: this.queueId, last_event_id: String(this.#position) };
      const verdict = readChatResponse(await this.user.get('events', query));
      if (verdict.kind === 'refused' && verdict.code === 'BAD_EVENT_QUEUE_ID') return 'gone';
      if (verdict.kind !== 'done') throw new Error(`poll: ${JSON.stringify(verdict)}`);
      let found = false;
      for (const event of listOf(member(verdict.body, 'events'))) {
        this.#apply(event);
        found ||= member(event['message'], 'content') === marker;
      }
      if (found) return 'there';
    }
  }

  #apply(event: Json): void {
    this.#position = Number(event['id']);
    this.#applied.push(event);
    this.events += 1;
    this.state.apply(event);
  }

  get #name(): string {
    return `${this.user.email} ${JSON.stringify(this.form)}`;
  }

  /** Returns a text with the last received events about a state path such as `.channels.7.name`. */
  #about(difference: string): string {
    const [, part = '', id = ''] = /^\.(\w+)\.(\d+)/.exec(difference) ?? [];
    const type = part === 'channels' ? /stream|subscription/ : part === 'groups' ? /user_group/ : /^(?!message)/;
    const names = part === '' ? /./ : new RegExp(`(_ids?|id|members)":\\[?([\\d,]*,)?${id}\\b`);
    const texts = this.#applied
      .filter((event) => type.test(String(event['type'])))
      .map((event) => JSON.stringify(event));
    const about = texts.filter((text) => names.test(text));
    return about
      .slice(-6)
      .map((text) => text.slice(0, 250))
      .join(' ');
  }
}

async function registerClient(
  user: ChatUser,
  form: Json,
  eventTypes: readonly string[],
  known?: { queue_id: string; last_event_id: number },
): Promise<Json | null> {
  const parameters = {
    ...(known && { last_known: JSON.stringify(known) }),
    event_types: JSON.stringify(eventTypes),
    fetch_event_types: JSON.stringify(fetchedTypes),
    include_subscribers: 'true',
    client_capabilities: JSON.stringify(form),
    apply_markdown: 'false',
  };
  const verdict = readChatResponse(await user.call('POST', 'register', parameters));
  return verdict.kind === 'done' ? (verdict.body as Json) : null;
}

/**
 * Returns the path of the first difference between two JSON values, with the two values at that path. Returns null if
 * the values are equal.
 */
function firstDifference(byEvents: unknown, afresh: unknown, path: string): string | null {
  if (isDeepStrictEqual(byEvents, afresh)) return null;
  const bothObjects = [byEvents, afresh].every((value) => typeof value === 'object' && value !== null);
  const isLeaf = !bothObjects || Array.isArray(byEvents) !== Array.isArray(afresh);
  if (isLeaf) return `${path} is ${text(byEvents)} by events and ${text(afresh)} afresh`;
  for (const name of Object.keys({ ...(byEvents as Json), ...(afresh as Json) })) {
    const found = firstDifference(member(byEvents, name), member(afresh, name), `${path}.${name}`);
    if (found !== null) return found;
  }
  return `${path} differs in order`;
}

function text(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 300);
}
