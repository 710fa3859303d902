import { Pool } from 'undici';
import type { ServerProcess } from '../server-process.js';
import { RawClient } from './raw-stream-client.js';

/** Maximum number of connections that open at a time. */
const CONCURRENT_CONNECTIONS = 50;

/** Maximum number of registrations at a time, which a process that has just started can serve. */
const CONCURRENT_REGISTRATIONS = 10;

/** Form in which clients receive events. */
export type EventTransport = 'poll' | 'stream';

/** Calls `work` for each item, at most `size` at a time. Returns the results in the order of the items. */
export async function runRequestsInGroups<T, R>(
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

/** An event queue and the id of the last event that its client has received. */
export interface ClientQueue {
  readonly queueId: string;
  lastEventId: number;
}

/**
 * Registers event queues for messages.
 *
 * @throws Error if a registration is rejected
 */
export async function registerQueues(
  server: ServerProcess,
  authorization: string,
  count: number,
): Promise<ClientQueue[]> {
  const pool = new Pool(server.origin, { connections: CONCURRENT_REGISTRATIONS });
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const form = { event_types: '["message"]', fetch_event_types: '[]', apply_markdown: 'true' };
  const body = new URLSearchParams(form).toString();
  const register = async (): Promise<ClientQueue> => {
    const response = await pool.request({ method: 'POST', path: '/api/v1/register', headers, body });
    const queue = (await response.body.json()) as { queue_id: string; last_event_id: number; msg: string };
    if (response.statusCode !== 200) throw new Error(`POST /register: ${queue.msg}`);
    return { queueId: queue.queue_id, lastEventId: queue.last_event_id };
  };
  try {
    return await runRequestsInGroups(Array.from({ length: count }), register, CONCURRENT_REGISTRATIONS);
  } finally {
    await pool.close();
  }
}

/** A client of the chat service that waits for the events of a queue. */
export class QueueClient {
  private constructor(
    private readonly connection: RawClient,
    private readonly queue: ClientQueue,
  ) {}

  static async open(server: ServerProcess, authorization: string, queue: ClientQueue): Promise<QueueClient> {
    return new QueueClient(await RawClient.open(server.origin, `authorization: ${authorization}\r\n`), queue);
  }

  /** Text that was received since the last call of {@link QueueClient.acknowledge}. */
  get text(): string {
    return this.connection.text;
  }

  /** Sends the request for a stream or the next poll. */
  wait(transport: EventTransport): void {
    const { queueId, lastEventId } = this.queue;
    const path = transport === 'stream' ? '/api/v1/events/stream' : '/api/v1/events';
    this.connection.get(`${path}?queue_id=${queueId}&last_event_id=${lastEventId}`);
  }

  arrival(expected: string): Promise<number> {
    return this.connection.arrival(expected);
  }

  /** Continues after the last received event, and drops the received text. */
  acknowledge(): void {
    const id = /.*"id":(\d+),"type":"message"/s.exec(this.connection.text)?.[1];
    if (id !== undefined) this.queue.lastEventId = Number(id);
    this.connection.reset();
  }

  close(): void {
    this.connection.close();
  }
}
