import { connect } from 'node:net';
import { PeriodicTask, type QueueClock, type QueueLogger, type QueueTx } from '@switchboard/queue';
import type { CircuitBreakers, ReceiverContactOutcome } from './circuit-breakers.js';
import type { DeliveryQueue } from './delivery-queue.js';
import type { DeliveryStore } from './delivery-store.js';

/** Interval between two checks of unresponsive receivers on this machine, in milliseconds. */
const LOOPBACK_CHECK_INTERVAL_MS = 1_000;

/** Time limit for connecting to a receiver on this machine, in milliseconds. */
const LOOPBACK_CONNECT_TIMEOUT_MS = 500;

/**
 * Time in milliseconds for which the state of a settled receiver is retained. A delivery that is stored as waiting within
 * this time, by a decision from before the last check, is then made due by the next check.
 */
const SETTLED_RECEIVER_RETENTION_MS = 60_000;

/** State of a receiver on this machine that has refused a connection, or for which deliveries wait. */
interface UnresponsiveReceiver {
  /** True if the next accepted connection makes the waiting deliveries of the receiver due. */
  isAwaited: boolean;
  /** Time of the last check that made the deliveries due, in milliseconds since 1970; 0 before the first. */
  madeDueMs: number;
  /**
   * True if no further checks are needed after the deliveries were made due: no delivery waited, or an attempt has
   * reached the receiver, so that the retry policy and the circuit breaker apply.
   */
  isSettled: boolean;
}

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
  /** True after the receivers were read for which deliveries were already waiting when the process started. */
  #isListRead = false;
  /** Receivers on this machine that the checks try to connect to. */
  readonly #receivers = new Map<string, UnresponsiveReceiver>();

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
   * Records the outcome of a delivery attempt. The caller must call the method after it has stored the outcome in the
   * database. An attempt may have begun before a check made the deliveries of its receiver due, and be stored after the
   * check. The next check then makes the deliveries due again.
   *
   * @param startedMs time before the attempt, in milliseconds since 1970
   */
  recordAttempt(receiver: string | null, contact: ReceiverContactOutcome, startedMs: number): void {
    if (receiver === null) return;
    const state = this.#receivers.get(receiver);
    if (contact === 'refused' && (state === undefined || state.isSettled)) this.#awaitReceiver(receiver);
    else if (contact === 'refused') this.recordWait(receiver, startedMs);
    else if (contact !== 'none' && state !== undefined && startedMs > state.madeDueMs) state.isSettled = true;
  }

  /**
   * Records that a delivery waits because the circuit breaker of its receiver is open. The caller must call the method
   * after it has stored the wait in the database.
   *
   * @param decidedMs time before the circuit breaker was asked, in milliseconds since 1970
   */
  recordWait(receiver: string, decidedMs: number): void {
    const state = this.#receivers.get(receiver);
    if (state !== undefined && decidedMs <= state.madeDueMs) state.isAwaited = true;
  }

  /**
   * Tries once to connect to each unresponsive receiver on this machine. Makes the deliveries of a receiver that
   * accepts the connection due.
   */
  async checkUnresponsiveReceivers(): Promise<void> {
    const { database, store, clock } = this.#environment;
    if (!this.#isListRead) {
      const receivers = await store.listWaitingReceivers(database, this.#startedMs);
      for (const receiver of receivers) this.#awaitReceiver(receiver);
      this.#isListRead = true;
    }
    const checked: [string, UnresponsiveReceiver][] = [];
    for (const [receiver, state] of this.#receivers) {
      if (state.isAwaited || !state.isSettled) checked.push([receiver, state]);
      else if (clock.now() - state.madeDueMs > SETTLED_RECEIVER_RETENTION_MS) this.#receivers.delete(receiver);
    }
    await Promise.all(checked.map(([receiver, state]) => this.#tryReceiver(receiver, state)));
  }

  /** Lets the checks connect to a receiver, if the receiver is on this machine. */
  #awaitReceiver(receiver: string): void {
    if (!isLoopbackReceiver(receiver)) return;
    this.#receivers.set(receiver, { isAwaited: true, madeDueMs: 0, isSettled: false });
  }

  async #tryReceiver(receiver: string, state: UnresponsiveReceiver): Promise<void> {
    const { database, store, queue, breakers, clock, logger } = this.#environment;
    const result = await tryToConnect(new URL(receiver));
    if (result === 'refused') state.isAwaited = true;
    if (result !== 'accepted' || !state.isAwaited) return;
    breakers.allowTestDelivery(receiver);
    // Before the statement: an attempt that is stored during the statement may need a further check.
    Object.assign(state, { isAwaited: false, isSettled: false, madeDueMs: clock.now() });
    const due = await store.makeReceiverDeliveriesDue(database, receiver).catch((error: unknown) => {
      state.isAwaited = true;
      throw error;
    });
    if (due.length === 0) {
      state.isSettled = true;
      return;
    }
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

/** Tries to connect to a receiver. A receiver that is busy or blocked causes a timeout. */
function tryToConnect({ hostname, port, protocol }: URL): Promise<'accepted' | 'refused' | 'timeout'> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      timeout: LOOPBACK_CONNECT_TIMEOUT_MS,
    });
    const end = (result: 'accepted' | 'refused' | 'timeout'): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end('accepted'));
    socket.once('timeout', () => end('timeout'));
    socket.once('error', () => end('refused'));
  });
}
