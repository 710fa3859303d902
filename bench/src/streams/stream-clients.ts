import { Pool } from 'undici';
import type { ServerProcess } from '../server-process.js';
import { RawHttpClient } from './raw-stream-client.js';

/** Maximum number of connections that the benchmark opens at the same time. */
const CONCURRENT_CONNECTIONS = 50;

/**
 * Maximum number of event queue registrations that run at the same time. A process that has just started can serve this
 * number.
 */
const CONCURRENT_REGISTRATIONS = 10;

/** Transport by which clients receive events: long polls or a stream of server-sent events. */
export type EventTransport = 'poll' | 'stream';

/** Calls `work` for each item, with at most `size` concurrent calls. Returns the results in the order of the items. */
export async function callWithLimitedConcurrency<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  size = CONCURRENT_CONNECTIONS,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += size) {
    results.push(...(await Promise.all(items.slice(from, from + size).map(work))));
  }
  return results;
}

/** An event queue and the id of the last event that the queue's client has received. */
export interface ClientEventQueue {
  readonly queueId: string;
  lastEventId: number;
}

/**
 * Registers event queues at the chat service, which receive message events. Returns the queues.
 *
 * @throws Error if the service rejects a registration
 */
export async function registerEventQueues(
  server: ServerProcess,
  authorization: string,
  count: number,
): Promise<ClientEventQueue[]> {
  const pool = new Pool(server.origin, { connections: CONCURRENT_REGISTRATIONS });
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const form = { event_types: '["message"]', fetch_event_types: '[]', apply_markdown: 'true' };
  const body = new URLSearchParams(form).toString();
  const register = async (): Promise<ClientEventQueue> => {
    const response = await pool.request({ method: 'POST', path: '/api/v1/register', headers, body });
    const queue = (await response.body.json()) as { queue_id: string; last_event_id: number; msg: string };
    if (response.statusCode !== 200) throw new Error(`POST /register: ${queue.msg}`);
    return { queueId: queue.queue_id, lastEventId: queue.last_event_id };
  };
  try {
    return await callWithLimitedConcurrency(Array.from({ length: count }), register, CONCURRENT_REGISTRATIONS);
  } finally {
    await pool.close();
  }
}

/** A client of the chat service that waits for the events of one event queue. */
export class EventQueueClient {
  private constructor(
    private readonly connection: RawHttpClient,
    private readonly queue: ClientEventQueue,
  ) {}

  static async openConnection(
    server: ServerProcess,
    authorization: string,
    queue: ClientEventQueue,
  ): Promise<EventQueueClient> {
    return new EventQueueClient(
      await RawHttpClient.openConnection(server.origin, `authorization: ${authorization}\r\n`),
      queue,
    );
  }

  /** Returns the text that the client has received since the last call of {@link EventQueueClient.discardReceivedText}. */
  get receivedText(): string {
    return this.connection.text;
  }

  /** Sends a request that waits for events: the request for a stream, or the next poll. */
  sendEventRequest(transport: EventTransport): void {
    const { queueId, lastEventId } = this.queue;
    const path = transport === 'stream' ? '/api/v1/events/stream' : '/api/v1/events';
    this.connection.sendGetRequest(`${path}?queue_id=${queueId}&last_event_id=${lastEventId}`);
  }

  waitForText(expected: string): Promise<number> {
    return this.connection.waitForText(expected);
  }

  /** Discards the received text. The next request continues after the last received event. */
  discardReceivedText(): void {
    const id = /.*"id":(\d+),"type":"message"/s.exec(this.connection.text)?.[1];
    if (id !== undefined) this.queue.lastEventId = Number(id);
    this.connection.discardReceivedText();
  }

  close(): void {
    this.connection.close();
  }
}
