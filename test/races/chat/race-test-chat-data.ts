import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type TestRequestOptions, waitFor } from '@switchboard/testing';
import { reactivateRealm } from '../../../apps/chat/src/app/admin/reactivate-realm.js';
import { ConversationClient } from '../../../apps/chat/test/conversation/simulated-client.js';
import {
  createBasicAuthorization,
  chatCluster,
  type ChatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../apps/chat/test/chat-server.js';
import type { RaceResponse, RaceWorld } from '../race-pair.js';
import type { RaceSettings } from '../race-test-settings.js';
import { brokenInvariants } from './chat-invariants.js';

type Json = Record<string, unknown>;
type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

/** Response with its headers. */
interface ResponseWithHeaders extends RaceResponse {
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Names of the demo users who send the concurrent writes. The last two users are guests. */
const demoUserNames = ['desdemona', 'iago', 'hamlet', 'cordelia', 'othello', 'prospero', 'polonius', 'ZOE'] as const;
export type Person = (typeof demoUserNames)[number];

/**
 * Names of the demo users whose clients follow all events: an administrator and a member. The long form of the suite
 * adds an owner and a guest.
 */
const followingUsers: readonly Person[] = ['iago', 'hamlet', 'desdemona', 'polonius'];

/**
 * Chat service of the race suite: two processes that share one database, and demo users who send writes to both
 * processes.
 */
export class ChatWorld implements RaceWorld {
  readonly #watchers = new Map<Person, ConversationClient>();
  #created = 0;
  readonly #channels = new Map<string, Promise<{ id: number; name: string }>>();
  #requests = 0;

  private constructor(
    private readonly cluster: ChatCluster,
    private readonly processes: readonly ChatProcess[],
    private readonly people: ReadonlyMap<string, DemoUser>,
  ) {}

  static async start({ allPairs }: RaceSettings): Promise<ChatWorld> {
    const cluster = await chatCluster();
    const env = {
      INVITES_PER_DAY: '1000000',
      REALM_EXPORTS_PER_WEEK: '1000000',
      REALM_EXPORT_POLL_MS: '50',
    };
    const processes = [await cluster.start(env), await cluster.start(env)];
    const people = new Map<string, DemoUser>();
    for (const [index, name] of demoUserNames.entries()) people.set(name, await signIn(processes[index % 2]!, name));
    const world = new ChatWorld(cluster, processes, people);
    for (const name of followingUsers.slice(0, allPairs ? followingUsers.length : 2)) await world.#watch(name);
    return world;
  }

  id(name: Person): number {
    return this.people.get(name)!.id;
  }

  email(name: Person): string {
    return this.people.get(name)!.email;
  }

  /** Returns a name that no object of the test has yet. */
  newName(kind: string): string {
    this.#created += 1;
    return `${kind} ${this.#created}`;
  }

  /**
   * Sends a request with form fields as a demo user. Values that are not text are sent as JSON. Successive requests
   * alternate between the two processes.
   */
  async write(
    name: Person,
    method: Method,
    path: string,
    fields: Json = {},
    headers: Record<string, string> = {},
  ): Promise<RaceResponse> {
    const form = Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    );
    const { status, body } = await this.send(name, method, `/api/v1/${path}`, { form, headers });
    return { status, body };
  }

  /**
   * Sends any request as a demo user, or without credentials if `name` is null. Successive requests alternate between
   * the two processes.
   */
  async send(
    name: Person | null,
    method: Method,
    url: string,
    options: Pick<TestRequestOptions, 'form' | 'payload' | 'headers'> = {},
  ): Promise<ResponseWithHeaders> {
    this.#requests += 1;
    const process = this.processes[this.#requests % this.processes.length]!;
    const { email = '', apiKey = '' } = (name === null ? undefined : this.people.get(name)) ?? {};
    const client = name === null ? process.client : process.client.withHeaders(createBasicAuthorization(email, apiKey));
    const { status, body, headers } = await client[method]<Json>(url, { ...options, unchecked: true });
    return { status, body, headers };
  }

  /**
   * Sends a request that creates data for a round of a race, and returns the response body.
   *
   * @throws Error if the request is rejected
   */
  async create(name: Person, method: Method, path: string, fields: Json = {}): Promise<Json> {
    const { status, body } = await this.write(name, method, path, fields);
    if (status !== 200) throw new Error(`${name}: ${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body as Json;
  }

  /** Creates a channel with the given subscribers and returns the channel. */
  async newChannel(people: readonly Person[], fields: Json = {}): Promise<{ id: number; name: string }> {
    const name = this.newName('channel');
    const subscribers = people.map((person) => this.id(person));
    const body = await this.create('iago', 'post', 'channels/create', {
      name,
      subscribers,
      send_new_subscription_messages: false,
      ...fields,
    });
    return { id: Number(body['id']), name };
  }

  /**
   * Returns a channel that all race rounds with equal subscribers share. A round must use its own topics and must not
   * change the channel.
   */
  sharedChannel(people: readonly Person[], number = 1): Promise<{ id: number; name: string }> {
    const key = `${people.join()} ${number}`;
    const channel = this.#channels.get(key) ?? this.newChannel(people);
    this.#channels.set(key, channel);
    return channel;
  }

  /** Sends a message to a channel and returns the id of the message. */
  async newMessage(name: Person, channelId: number, topic: string, content = 'hello'): Promise<number> {
    const body = await this.create(name, 'post', 'messages', { type: 'channel', to: channelId, topic, content });
    return Number(body['id']);
  }

  /** Runs an SQL statement on the chat database and returns the rows, for the checks of a race. */
  async rows<R>(text: string, values: unknown[] = []): Promise<R[]> {
    return (await this.processes[0]!.runtime.database.query<R>(text, values)).rows;
  }

  /** Publishes a cache invalidation tag to both chat processes. */
  async invalidate(tag: string): Promise<void> {
    await this.processes[0]!.runtime.invalidations.publish(tag);
  }

  /** Returns the names of stored files below a folder of the storage, for example the parts of an upload. */
  async listStoredFiles(folder: string): Promise<readonly string[]> {
    const path = join(this.processes[0]!.runtime.config.UPLOADS_DIR, folder);
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  /** Reactivates the organization that a race test has deactivated. Waits until both processes accept requests again. */
  async reactivateRealm(): Promise<void> {
    await reactivateRealm(this.processes[0]!.runtime, undefined);
    for (const _process of this.processes) {
      await waitFor(async () => (await this.send('iago', 'get', '/api/v1/users/me')).status === 200);
    }
  }

  async check(): Promise<readonly string[]> {
    await this.processes[0]!.runtime.eventLog.sweep();
    const findings = [...(await brokenInvariants(this.processes[0]!.runtime.database))];
    for (const [name, watcher] of this.#watchers) {
      const { byEvents, afresh } = await watcher.compare(0);
      if (isDeepStrictEqual(byEvents, afresh)) continue;
      findings.push(`${name}: by events and afresh differ: ${firstDifference(byEvents, afresh, '')}`);
      // Registers the client again, so that the next race starts with a correct state.
      await this.#watch(name);
    }
    return findings;
  }

  /** Starts a client of a demo user. The client follows all events from now on. */
  async #watch(name: Person): Promise<void> {
    const form = followingUsers.indexOf(name) % 2 === 0 ? 'older' : 'newer';
    const watcher = new ConversationClient(name, this.people.get(name)!, this.processes, form);
    this.#watchers.set(name, watcher);
    await watcher.follow(0);
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }
}

/** Returns the path of the first difference between two JSON values, with the two values at that path. */
function firstDifference(byEvents: unknown, afresh: unknown, path: string): string {
  const isLeaf = [byEvents, afresh].some((value) => typeof value !== 'object' || value === null);
  const keys = isLeaf ? [] : Object.keys({ ...(byEvents as Json), ...(afresh as Json) });
  for (const key of keys) {
    const [one, other] = [(byEvents as Json)[key], (afresh as Json)[key]];
    if (!isDeepStrictEqual(one, other)) return firstDifference(one, other, `${path}.${key}`);
  }
  const text = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 300);
  return `${path} is ${text(byEvents)} and ${text(afresh)}`;
}
