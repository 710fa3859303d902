import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedResponse, MinimalHttpConnection } from './http-connection.js';
import { SenderProcess } from './event-sender.js';

/** Maximum number of event queue registrations that run concurrently. */
const MAX_CONCURRENT_REGISTRATIONS = 16;

/**
 * Maximum number of connections that the benchmark opens concurrently. The backlog of a listening socket is limited.
 */
const MAX_CONCURRENT_CONNECTION_ATTEMPTS = 100;

/** Interval in milliseconds at which the number of pending polls is requested from the server. */
const PENDING_POLLS_CHECK_INTERVAL_MS = 2;
const PENDING_POLLS_TIMEOUT_MS = 30_000;

const LAST_EVENT_ID_PATTERN = /.*"id":(\d+),"type"/s;

/** An event queue and the id of the last event that the queue's client has received. */
export interface PolledEventQueue {
  readonly user: number;
  readonly queueId: string;
  lastEventId: number;
  /**
   * Text of the last poll response of an event queue. Its event ids are parsed when the next poll is sent, so that
   * parsing does not delay the reading of other responses.
   */
  unread: string;
}

/** Returns the id of the last event that the queue's client has received. */
function getLastReceivedEventId(queue: PolledEventQueue): number {
  const id = LAST_EVENT_ID_PATTERN.exec(queue.unread)?.[1];
  queue.unread = '';
  if (id !== undefined) queue.lastEventId = Number(id);
  return queue.lastEventId;
}

/** Runs `work` for each item, with at most `limit` concurrent calls. Waits until all calls have ended. */
async function runConcurrently<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items].reverse();
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}

/** Registers one event queue at the server for each user. Returns the queues. */
export async function registerEventQueues(origin: string, users: readonly number[]): Promise<PolledEventQueue[]> {
  const queues: PolledEventQueue[] = [];
  const free = await Promise.all(
    Array.from({ length: MAX_CONCURRENT_REGISTRATIONS }, () => MinimalHttpConnection.open(origin)),
  );
  await runConcurrently(users, MAX_CONCURRENT_REGISTRATIONS, async (user) => {
    const connection = free.pop();
    if (!connection) throw new Error('more registrations than connections');
    const { body } = await connection.post('/register', { user });
    const { queue_id: queueId, last_event_id: lastEventId } = JSON.parse(body) as {
      queue_id: string;
      last_event_id: number;
    };
    queues.push({ user, queueId, lastEventId, unread: '' });
    free.push(connection);
  });
  for (const connection of free) connection.close();
  return queues;
}

/** Clients of one server, each with one connection and one event queue. A further connection sends messages. */
export class SubscribedClients {
  private readonly connections: MinimalHttpConnection[] = [];

  private constructor(
    private readonly origin: string,
    private readonly control: MinimalHttpConnection,
    private readonly queues: readonly PolledEventQueue[],
  ) {}

  /** Connects clients for the first `connected` event queues. */
  static async openClients(
    origin: string,
    queues: readonly PolledEventQueue[],
    connected = queues.length,
  ): Promise<SubscribedClients> {
    const subscribers = new SubscribedClients(origin, await MinimalHttpConnection.open(origin), queues);
    await subscribers.connectClients(connected);
    return subscribers;
  }

  /** Connects the clients of the first `count` event queues, except clients that are already connected. */
  async connectClients(count: number): Promise<void> {
    await runConcurrently(
      this.queues.slice(this.connections.length, count),
      MAX_CONCURRENT_CONNECTION_ATTEMPTS,
      async () => {
        this.connections.push(await MinimalHttpConnection.open(this.origin));
      },
    );
  }

  get clientCount(): number {
    return this.queues.length;
  }

  getUserIdAt(index: number): number {
    return this.queues[index]?.user ?? Number.NaN;
  }

  /**
   * Starts polls of the subscribers from index `from` (inclusive) to `to` (exclusive). Resolves when `pendingCount`
   * polls are pending at the server.
   */
  async startPolls(from: number, to: number, pendingCount = to - from): Promise<Promise<ReceivedResponse>[]> {
    const polls: Promise<ReceivedResponse>[] = [];
    for (let index = from; index < to; index += 1) polls.push(this.pollOnce(index));
    await this.waitUntilPollsPending(pendingCount);
    return polls;
  }

  /** Sends one poll for the subscriber at `index` and returns its response. */
  async pollOnce(index: number): Promise<ReceivedResponse> {
    const queue = this.queues[index];
    const connection = this.connections[index];
    if (!queue || !connection) throw new RangeError(`no subscriber ${index} of ${this.clientCount}`);
    const { user, queueId } = queue;
    const response = await connection.get(
      `/events?user=${user}&queue_id=${queueId}&last_event_id=${getLastReceivedEventId(queue)}`,
    );
    queue.unread = response.body;
    return response;
  }

  /** Moves all event queues from index `from` on to the position of the first queue. Sends no polls. */
  moveQueuesToFirstPosition(from: number): void {
    const [first] = this.queues;
    for (const queue of this.queues.slice(from)) {
      queue.lastEventId = first ? getLastReceivedEventId(first) : -1;
      queue.unread = '';
    }
  }

  /**
   * Sends a message and waits for the server's acknowledgement. Returns the start time of the request in milliseconds
   * of `performance.now`.
   */
  async sendMessage(message: object): Promise<number> {
    const started = performance.now();
    await this.control.post('/send', message);
    return started;
  }

  /** Starts a separate process that sends messages to the same server. */
  startSenderProcess(): Promise<SenderProcess> {
    return SenderProcess.startProcess(this.origin);
  }

  /** Returns the resident memory of the server after a garbage collection, in bytes. */
  async measureServerMemory(): Promise<number> {
    const { body } = await this.control.get('/memory');
    return (JSON.parse(body) as { bytes: number }).bytes;
  }

  close(): void {
    for (const connection of [this.control, ...this.connections]) connection.close();
  }

  private async waitUntilPollsPending(count: number): Promise<void> {
    const deadline = performance.now() + PENDING_POLLS_TIMEOUT_MS;
    let held = -1;
    while (performance.now() < deadline) {
      const { body } = await this.control.get('/held');
      ({ held } = JSON.parse(body) as { held: number });
      if (held === count) return;
      await sleep(PENDING_POLLS_CHECK_INTERVAL_MS);
    }
    throw new Error(`${held} polls were pending after ${PENDING_POLLS_TIMEOUT_MS} ms, not ${count}`);
  }
}
