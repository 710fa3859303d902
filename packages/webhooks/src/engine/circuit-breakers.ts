import type { QueueClock, QueueLogger } from '@switchboard/queue';

/** Settings of the circuit breakers for webhook receivers. Times are in milliseconds. */
export interface ReceiverCircuitBreakerSettings {
  /** Number of consecutive delivery attempts without a response after which the circuit breaker opens. */
  readonly failures: number;
  /** Time in milliseconds for which the circuit breaker is first open. Each failed test delivery doubles this time. */
  readonly openMs: number;
  /** Maximum time between two test deliveries to a suspended receiver, in milliseconds. */
  readonly maxOpenMs: number;
  /** Time after which deliveries that wait for the result of a test delivery check again, in milliseconds. */
  readonly probeWaitMs: number;
}

/**
 * Outcome of a delivery attempt for the receiver's circuit breaker: a response with any status, no response, no
 * connection, or no request.
 */
export type ReceiverContactOutcome = 'answered' | 'unreachable' | 'refused' | 'none';

/** Decision of a circuit breaker about a delivery: either wait, or send the delivery and then report the outcome. */
export type CircuitBreakerDecision =
  | { readonly waitMs: number }
  | { readonly leave: (contact: ReceiverContactOutcome) => void };

export interface CircuitBreakersDependencies {
  readonly settings: ReceiverCircuitBreakerSettings;
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
}

interface CircuitBreakerState {
  /** Number of consecutive failed delivery attempts at the receiver. */
  failures: number;
  /**
   * Time until which deliveries are suspended, in milliseconds since the epoch; null while the circuit breaker is
   * closed.
   */
  openUntilMs: number | null;
  openMs: number;
  probing: boolean;
  /** Latest time at which a delivery that waits for the receiver checks again, in milliseconds since 1970. */
  lastWaitsUntilMs: number;
}

/**
 * Interval between the attempts of deliveries that waited for the same receiver, in milliseconds. The interval limits
 * the share of the process's time that a backlog uses.
 */
const BACKLOG_DELIVERY_INTERVAL_MS = 10;

const decisionWithoutCircuitBreaker: CircuitBreakerDecision = { leave: () => {} };

/**
 * Suspends deliveries to receivers that do not respond. After several consecutive attempts without a connection or a
 * timely response, deliveries to the receiver wait. Meanwhile, one delivery at a time tests if the receiver responds
 * again. The state of the circuit breakers is local to the process and not stored.
 */
export class CircuitBreakers {
  /** Numbers of times that circuit breakers opened and closed since the process started. */
  readonly changes = { opened: 0, closed: 0 };
  /** States of circuit breakers by receiver. Contains only receivers whose last delivery attempt failed. */
  readonly #breakers = new Map<string, CircuitBreakerState>();

  constructor(private readonly environment: CircuitBreakersDependencies) {}

  /** Number of receivers whose circuit breaker is open. */
  get openCircuitBreakerCount(): number {
    return [...this.#breakers.values()].filter(({ openUntilMs }) => openUntilMs !== null).length;
  }

  /** Returns true if deliveries to a receiver are suspended because its circuit breaker is open. */
  isReceiverSuspended(receiver: string | null): boolean {
    const openUntilMs = receiver === null ? null : this.#breakers.get(receiver)?.openUntilMs;
    return openUntilMs !== null && openUntilMs !== undefined;
  }

  /** Half-opens the circuit breaker of a receiver, so that the next delivery tests if the receiver responds. */
  allowTestDelivery(receiver: string): void {
    const breaker = this.#breakers.get(receiver);
    if (breaker === undefined || breaker.openUntilMs === null) return;
    breaker.openUntilMs = this.environment.clock.now();
    breaker.lastWaitsUntilMs = 0;
  }

  /**
   * Requests permission for a delivery attempt from the receiver's circuit breaker. After a permitted attempt, the
   * caller must call `leave` with the outcome. Deliveries without a receiver are never suspended.
   *
   * @param byHand true if an operator requested the attempt, which half-opens the circuit breaker
   */
  requestAttemptPermission(receiver: string | null, byHand = false): CircuitBreakerDecision {
    if (receiver === null) return decisionWithoutCircuitBreaker;
    const breaker = this.#breakers.get(receiver);
    if (!breaker || breaker.openUntilMs === null) {
      return { leave: (contact) => this.#recordOutcome(receiver, contact) };
    }
    if (byHand) this.allowTestDelivery(receiver);
    const now = this.environment.clock.now();
    if (breaker.probing || now < breaker.openUntilMs) return { waitMs: this.#waitMs(breaker, now) };
    breaker.probing = true;
    return {
      leave: (contact) => {
        breaker.probing = false;
        if (contact === 'unreachable' || contact === 'refused') this.#reopen(receiver, breaker);
        else this.#recordOutcome(receiver, contact);
      },
    };
  }

  #recordOutcome(receiver: string, contact: ReceiverContactOutcome): void {
    if (contact === 'answered') this.#recordResponse(receiver);
    if (contact === 'unreachable' || contact === 'refused') this.#recordFailure(receiver);
  }

  #recordResponse(receiver: string): void {
    const breaker = this.#breakers.get(receiver);
    this.#breakers.delete(receiver);
    if (!breaker || breaker.openUntilMs === null) return;
    this.changes.closed += 1;
    this.environment.logger.info({ receiver }, 'webhook receiver responds again');
  }

  #recordFailure(receiver: string): void {
    const { settings, clock, logger } = this.environment;
    const { openMs } = settings;
    const breaker = this.#breakers.get(receiver) ?? {
      failures: 0,
      openUntilMs: null,
      openMs,
      probing: false,
      lastWaitsUntilMs: 0,
    };
    this.#breakers.set(receiver, breaker);
    breaker.failures += 1;
    // Failures of attempts that began before the breaker opened do not count.
    if (breaker.openUntilMs !== null || breaker.failures < settings.failures) return;
    breaker.openUntilMs = clock.now() + openMs;
    this.changes.opened += 1;
    const { failures } = breaker;
    logger.warn({ receiver, failures, openMs }, 'webhook receiver cannot be reached, its deliveries are suspended');
  }

  #reopen(receiver: string, breaker: CircuitBreakerState): void {
    const { settings, clock, logger } = this.environment;
    breaker.openMs = Math.min(2 * breaker.openMs, settings.maxOpenMs);
    breaker.openUntilMs = clock.now() + breaker.openMs;
    logger.info({ receiver, openMs: breaker.openMs }, 'webhook receiver still cannot be reached');
  }

  #waitMs(breaker: CircuitBreakerState, now: number): number {
    const probeMs = breaker.probing ? Math.min(this.environment.settings.probeWaitMs, breaker.openMs) : 0;
    const earliest = Math.max(breaker.openUntilMs ?? now, now + probeMs);
    breaker.lastWaitsUntilMs = Math.max(breaker.lastWaitsUntilMs + BACKLOG_DELIVERY_INTERVAL_MS, earliest);
    return breaker.lastWaitsUntilMs - now;
  }
}
