import { connect } from 'node:net';
import type { QueueClock, QueueLogger, QueueTx } from '@switchboard/queue';
import { PeriodicTask } from '../periodic-task.js';
import type { CircuitBreakers } from './circuit-breakers.js';
import type { DeliveryQueue } from './delivery-queue.js';
import { listWaitingReceivers, wakeReceiver } from './delivery-store.js';

/** Interval between two checks, in milliseconds. */
const PERIOD_MS = 1_000;

/** Time that a receiver on this machine has to accept a connection, in milliseconds. */
const CONNECT_LIMIT_MS = 500;

/** Parts that {@link LoopbackWatch} works with. */
export interface LoopbackWatchEnvironment {
  readonly database: QueueTx;
  readonly queue: DeliveryQueue;
  readonly breakers: CircuitBreakers;
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
}

/**
 * Delivers to receivers on this machine as soon as they accept connections. A debugging receiver must not wait for the
 * retry policy, which is made for remote servers. Only a connection is tried, so that no attempt is spent. Receivers
 * that accept connections without responding are left to retry policy and circuit breaker.
 */
export class LoopbackWatch {
  readonly #environment: LoopbackWatchEnvironment;
  readonly #repeating: PeriodicTask;
  readonly #startedMs: number;
  /** Receivers for which deliveries waited when the process began; null until they are known. */
  #inherited: Set<string> | null = null;
  /** Receivers whose deliveries were sent since they last responded or refused a connection. */
  readonly #woken = new Set<string>();

  constructor(environment: LoopbackWatchEnvironment) {
    const { clock, logger } = environment;
    this.#environment = environment;
    this.#startedMs = clock.now();
    this.#repeating = new PeriodicTask({
      clock,
      run: () => this.run(),
      failed: (error) => logger.warn({ err: error }, 'check of local webhook receivers failed'),
      restMs: () => PERIOD_MS,
    });
  }

  start(): void {
    this.#repeating.start();
  }

  /** Ends with the look that is under way. */
  stop(): Promise<void> {
    return this.#repeating.stop();
  }

  /** Tries to connect to each unresponsive receiver once. */
  async run(): Promise<void> {
    const { database, breakers } = this.#environment;
    this.#inherited ??= new Set((await listWaitingReceivers(database, this.#startedMs)).filter(isLoopback));
    const receivers = new Set([...this.#inherited, ...breakers.refusing.filter(isLoopback)]);
    for (const receiver of this.#woken) if (!receivers.has(receiver)) this.#woken.delete(receiver);
    await Promise.all([...receivers].map((receiver) => this.#try(receiver)));
  }

  async #try(receiver: string): Promise<void> {
    const { database, queue, breakers, logger } = this.#environment;
    if (!(await accepts(new URL(receiver)))) {
      this.#woken.delete(receiver);
      return;
    }
    if (this.#woken.has(receiver)) return;
    this.#woken.add(receiver);
    breakers.halfOpen(receiver);
    const due = await wakeReceiver(database, receiver);
    this.#inherited?.delete(receiver);
    if (due.length === 0) return;
    logger.info({ receiver, deliveries: due.length }, 'local webhook receiver accepts connections');
    await queue.addDue(due);
  }
}

/** True for the origin of a URL on this machine. */
export function isLoopback(receiver: string): boolean {
  if (!URL.canParse(receiver)) return false;
  const { hostname } = new URL(receiver);
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function accepts({ hostname, port, protocol }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      timeout: CONNECT_LIMIT_MS,
    });
    const end = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
