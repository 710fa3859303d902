import { connect } from 'node:net';
import { PeriodicTask, type QueueClock, type QueueLogger, type QueueTx } from '@switchboard/queue';
import type { CircuitBreakers } from './circuit-breakers.js';
import type { DeliveryQueue } from './delivery-queue.js';
import type { DeliveryStore } from './delivery-store.js';

/** Interval between two checks of unresponsive receivers on this machine, in milliseconds. */
const LOOPBACK_CHECK_INTERVAL_MS = 1_000;

/** Time limit for connecting to a receiver on this machine, in milliseconds. */
const LOOPBACK_CONNECT_TIMEOUT_MS = 500;

/** Dependencies of {@link LoopbackReceiverMonitor}. */
export interface LoopbackReceiverMonitorDependencies {
  readonly database: QueueTx;
  readonly store: DeliveryStore<unknown>;
  readonly queue: DeliveryQueue;
  readonly breakers: CircuitBreakers;
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
}

/**
 * Sends waiting deliveries to receivers on this machine as soon as the receiver accepts connections. The retry policy
 * is made for remote servers, and its delays are too long for a local receiver used for debugging. A check only tries
 * to connect, which does not count as a delivery attempt. Receivers that accept connections but do not respond are
 * subject to the retry policy and the circuit breaker.
 */
export class LoopbackReceiverMonitor {
  readonly #environment: LoopbackReceiverMonitorDependencies;
  readonly #repeating: PeriodicTask;
  readonly #startedMs: number;
  /**
   * Receivers on this machine for which deliveries were already waiting when the process started; null until the list
   * is read.
   */
  #inherited: Set<string> | null = null;
  /**
   * Receivers whose waiting deliveries were made due by a check, and that have neither responded nor refused a
   * connection afterwards.
   */
  readonly #woken = new Set<string>();

  constructor(environment: LoopbackReceiverMonitorDependencies) {
    const { clock, logger } = environment;
    this.#environment = environment;
    this.#startedMs = clock.now();
    this.#repeating = new PeriodicTask({
      clock,
      run: () => this.checkUnresponsiveReceivers(),
      failed: (error) => logger.warn({ err: error }, 'check of local webhook receivers failed'),
      restMs: () => LOOPBACK_CHECK_INTERVAL_MS,
    });
  }

  startPeriodicChecks(): void {
    this.#repeating.start();
  }

  /** Stops the periodic checks after the current check of receivers on this machine. */
  stopPeriodicChecks(): Promise<void> {
    return this.#repeating.stop();
  }

  /**
   * Tries once to connect to each unresponsive receiver on this machine. Makes the deliveries of a receiver that
   * accepts the connection due.
   */
  async checkUnresponsiveReceivers(): Promise<void> {
    const { database, store, breakers } = this.#environment;
    this.#inherited ??= new Set(
      (await store.listWaitingReceivers(database, this.#startedMs)).filter(isLoopbackReceiver),
    );
    const receivers = new Set([
      ...this.#inherited,
      ...breakers.receiversRefusingConnections.filter(isLoopbackReceiver),
    ]);
    for (const receiver of this.#woken) if (!receivers.has(receiver)) this.#woken.delete(receiver);
    await Promise.all([...receivers].map((receiver) => this.#tryReceiver(receiver)));
  }

  async #tryReceiver(receiver: string): Promise<void> {
    const { database, store, queue, breakers, logger } = this.#environment;
    if (!(await doesReceiverAcceptConnection(new URL(receiver)))) {
      this.#woken.delete(receiver);
      return;
    }
    if (this.#woken.has(receiver)) return;
    this.#woken.add(receiver);
    breakers.allowTestDelivery(receiver);
    const due = await store.makeReceiverDeliveriesDue(database, receiver);
    this.#inherited?.delete(receiver);
    if (due.length === 0) return;
    logger.info({ receiver, deliveries: due.length }, 'local webhook receiver accepts connections');
    await queue.addFurtherAttempts(due);
  }
}

/** Returns true if the host in a receiver's URL is this machine. */
export function isLoopbackReceiver(receiver: string): boolean {
  if (!URL.canParse(receiver)) return false;
  const { hostname } = new URL(receiver);
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function doesReceiverAcceptConnection({ hostname, port, protocol }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      timeout: LOOPBACK_CONNECT_TIMEOUT_MS,
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
