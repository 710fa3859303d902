import { type DeployedRelease, Deployment } from '../services/deployment.js';
import type { Findings } from '../findings.js';
import type { Random } from '../random.js';
import type { StoreAddresses } from '../stores/stores.js';
import { checkMessages, type MessageFigures } from './check-messages.js';
import { ChatUser } from './chat-user.js';
import { EventReader, type ReadingMethod } from './event-reader.js';
import { MessageWriter } from './message-writer.js';
import type { ChatLoad } from './chat-load.js';
import { type ChatLoadName, createChatLoads, environmentOfChatLoads } from './create-chat-loads.js';
import { readChatResponse } from '../classify-responses.js';

/**
 * Methods by which the readers of a chat user request events. A user has one reader, with its own event queue, for each
 * method.
 */
const readingMethods: readonly ReadingMethod[] = ['poll', 'stream', 'both', 'continue'];

/**
 * Load on the chat service for a fault test: writers, readers, and clients that register event queues without ever
 * reading events.
 */
export class ChatCase {
  readonly #stopWriting = new AbortController();
  readonly #stopReading = new AbortController();
  #writing: Promise<unknown> = Promise.resolve();
  #reading: Promise<unknown> = Promise.resolve();
  /** Number of failed registrations of event queues, except registrations of readers. */
  #failedRegistrations = 0;

  private constructor(
    readonly deployment: Deployment,
    private readonly people: readonly ChatUser[],
    readonly writers: readonly MessageWriter[],
    readonly readers: readonly EventReader[],
    private readonly loads: readonly ChatLoad[],
    private readonly findings: Findings,
  ) {}

  static async start(options: {
    readonly stores: StoreAddresses;
    readonly apis: number;
    readonly workers: number;
    readonly random: Random;
    readonly findings: Findings;
    /** Number of users who read events; 3 by default. Each has a queue for every reading method. */
    readonly readingUsers?: number;
    /** Longest pause of a writer between two messages, in milliseconds; 80 by default. */
    readonly writePauseMs?: number;
    readonly releases?: readonly DeployedRelease[];
    /**
     * True if readers drop the received messages when an event queue is refused, because committed messages may be
     * lost.
     */
    readonly dropsMessages?: boolean;
    /** Further loads beside messages and events; none by default. They require that no committed write is lost. */
    readonly loads?: readonly ChatLoadName[];
  }): Promise<ChatCase> {
    const {
      stores,
      apis,
      workers,
      random,
      findings,
      readingUsers = 3,
      releases,
      dropsMessages,
      writePauseMs = 80,
      loads = [],
    } = options;
    // The delay is long enough for the proxy, which checks readiness five times a second.
    const env = {
      EVENT_HEARTBEAT_MS: '2000',
      EVENT_STREAM_MS: '10000',
      SHUTDOWN_DELAY_MS: '800',
      ...(await environmentOfChatLoads(loads, stores)),
    };
    const deployment = await Deployment.start({ app: 'chat', apis, workers, stores, env, releases });
    const { origin } = deployment.proxy;
    const names = ['hamlet', 'cordelia', 'iago', 'othello', 'ZOE'];
    const people = await Promise.all(names.map((name) => ChatUser.signIn(origin, name)));
    const parts = () => ({ random: random.fork(), findings, dropsMessages, writePauseMs });
    const readers = people
      .slice(0, readingUsers)
      .flatMap((user, index) =>
        readingMethods.map((method) => new EventReader(user, `${names[index]} (${method})`, method, parts())),
      );
    const writers = people.slice(3).map((user, index) => {
      const name = names[index + 3] ?? '';
      if (index > 0) return new MessageWriter(user, name, parts());
      // Messages with a local id are sent with this queue.
      const ownReader = new EventReader(user, `${name} (poll)`, 'poll', parts());
      readers.push(ownReader);
      return new MessageWriter(user, name, { ...parts(), getQueueId: () => ownReader.queueId });
    });
    const [user, administrator] = [
      await ChatUser.signIn(origin, 'prospero'),
      await ChatUser.signIn(origin, 'desdemona'),
    ];
    const further = createChatLoads(loads, { user, administrator, env, ...parts() });
    return new ChatCase(deployment, people, writers, readers, further, findings);
  }

  /** Starts the load on the chat service. Every reader registers its event queue before the first message is sent. */
  async begin(): Promise<void> {
    await Promise.all(this.readers.map((reader) => reader.begin()));
    await Promise.all(this.loads.map((load) => load.begin()));
    this.#reading = Promise.all(this.readers.map((reader) => reader.run(this.#stopReading.signal)));
    this.#writing = Promise.all([
      ...this.writers.map((writer) => writer.run(this.#stopWriting.signal)),
      ...this.loads.map((load) => load.run(this.#stopWriting.signal)),
      this.#passBy(this.#stopWriting.signal),
    ]);
  }

  /** Number of messages whose sending the chat service has acknowledged so far. */
  get writes(): number {
    return this.writers.reduce((sum, { committed }) => sum + committed.size, 0);
  }

  /**
   * Stops the load, waits until all messages are delivered, and compares the sent, the stored and the received
   * messages. Returns the counts.
   *
   * @param cutOff contents of messages that may be lost
   */
  async end(cutOff?: ReadonlySet<string>): Promise<MessageFigures> {
    this.#stopWriting.abort();
    await this.#writing;
    const [user] = this.people;
    if (user === undefined) throw new Error('No user has signed in');
    const { writers, readers, findings } = this;
    const figures = await checkMessages({ user, writers, readers, findings, cutOff });
    const failedRequests = figures.failedRequests + this.#failedRegistrations;
    const counts = await Promise.all(this.loads.map((load) => load.check()));
    this.#stopReading.abort();
    await this.#reading;
    return { ...figures, ...Object.assign({}, ...counts), failedRequests };
  }

  /** Stops the processes of the chat service. */
  async stop(): Promise<void> {
    this.#stopWriting.abort();
    this.#stopReading.abort();
    await this.deployment.stop();
  }

  /** Registers event queues repeatedly without reading events, because the registration has its own fault points. */
  async #passBy(signal: AbortSignal): Promise<void> {
    const [user] = this.people;
    while (!signal.aborted && user !== undefined) {
      const parameters = { idle_queue_timeout: '5', fetch_event_types: '["realm_user"]' };
      const verdict = readChatResponse(await user.call('POST', 'register', parameters));
      if (verdict.kind !== 'done') this.#failedRegistrations += 1;
      const isRefused = verdict.kind === 'refused' || verdict.kind === 'unclean';
      this.findings.check(!isRefused, () => `register: ${JSON.stringify(verdict)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
