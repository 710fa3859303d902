import type { QueueClock, QueueLogger } from '@switchboard/queue';

/** When a receiver is left alone. Times in milliseconds. */
export interface BreakerSettings {
  /** Attempts in a row that did not reach it, after which its breaker opens. */
  readonly failures: number;
  /** Time for which the breaker is open the first time; doubled by each probe that fails. */
  readonly openMs: number;
  /** Longest time between two probes. */
  readonly maxOpenMs: number;
  /** Maximum wait of deliveries during a probe before they check again. */
  readonly probeWaitMs: number;
}

/** Result of an attempt: a response with any status; no response; no connection; or nothing sent. */
export type Contact = 'answered' | 'unreachable' | 'refused' | 'none';

/** Circuit-breaker decision: wait, or proceed and report the outcome. */
export type Passage = { readonly waitMs: number } | { readonly leave: (contact: Contact) => void };

/** Dependencies of {@link CircuitBreakers}. */
export interface BreakerEnvironment {
  readonly settings: BreakerSettings;
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
}

interface Breaker {
  /** In a row, the newest last. */
  failures: number;
  /** Time until which deliveries are suspended; null while the breaker is closed. */
  openUntilMs: number | null;
  openMs: number;
  probing: boolean;
  /** True if the last attempt found no connection accepted. */
  refuses: boolean;
  /** Retry time of the most recent waiting delivery. */
  lastWaitsUntilMs: number;
}

/**
 * Time between the moments of two deliveries that wait for one receiver, in milliseconds: a backlog comes back one
 * by one, and costs the others a bounded share of this process.
 */
const SPACING_MS = 10;

const freely: Passage = { leave: () => {} };

/**
 * Suspends deliveries to receivers that do not respond: after several attempts in a row without connection or within
 * their time limit, deliveries wait while one at a time probes the receiver. The state is per process and lost with it.
 */
export class CircuitBreakers {
  /** Since the process began. */
  readonly changes = { opened: 0, closed: 0 };
  /** Breakers of receivers whose last attempt failed. */
  readonly #breakers = new Map<string, Breaker>();

  constructor(private readonly environment: BreakerEnvironment) {}

  /** Number of open breakers. */
  get open(): number {
    return [...this.#breakers.values()].filter(({ openUntilMs }) => openUntilMs !== null).length;
  }

  /** Returns true if deliveries to a receiver are suspended. */
  isOpen(receiver: string | null): boolean {
    const openUntilMs = receiver === null ? null : this.#breakers.get(receiver)?.openUntilMs;
    return openUntilMs !== null && openUntilMs !== undefined;
  }

  /** Receivers that accepted no connection last time. */
  get refusing(): string[] {
    return [...this.#breakers].flatMap(([receiver, { refuses }]) => (refuses ? [receiver] : []));
  }

  /** Half-opens the breaker of a receiver: the next delivery is the probe. */
  halfOpen(receiver: string): void {
    const breaker = this.#breakers.get(receiver);
    if (breaker === undefined || breaker.openUntilMs === null) return;
    breaker.openUntilMs = this.environment.clock.now();
    breaker.lastWaitsUntilMs = 0;
  }

  /**
   * Requests admission of a delivery, which must end with `leave`; null for a receiver without a breaker.
   * @param byHand an operator requested the attempt, which half-opens the breaker
   */
  enter(receiver: string | null, byHand = false): Passage {
    if (receiver === null) return freely;
    const breaker = this.#breakers.get(receiver);
    if (!breaker || breaker.openUntilMs === null) {
      return { leave: (contact) => this.#attempted(receiver, contact) };
    }
    if (byHand) this.halfOpen(receiver);
    const now = this.environment.clock.now();
    if (breaker.probing || now < breaker.openUntilMs) return { waitMs: this.#waitMs(breaker, now) };
    breaker.probing = true;
    return {
      leave: (contact) => {
        breaker.probing = false;
        if (contact === 'unreachable' || contact === 'refused') this.#reopen(receiver, breaker, contact);
        else this.#attempted(receiver, contact);
      },
    };
  }

  #attempted(receiver: string, contact: Contact): void {
    if (contact === 'answered') this.#answered(receiver);
    if (contact === 'unreachable' || contact === 'refused') this.#failed(receiver, contact);
  }

  #answered(receiver: string): void {
    const breaker = this.#breakers.get(receiver);
    this.#breakers.delete(receiver);
    if (!breaker || breaker.openUntilMs === null) return;
    this.changes.closed += 1;
    this.environment.logger.info({ receiver }, 'webhook receiver responds again');
  }

  #failed(receiver: string, contact: Contact): void {
    const { settings, clock, logger } = this.environment;
    const { openMs } = settings;
    const breaker = this.#breakers.get(receiver) ?? {
      failures: 0,
      openUntilMs: null,
      openMs,
      probing: false,
      refuses: false,
      lastWaitsUntilMs: 0,
    };
    this.#breakers.set(receiver, breaker);
    breaker.failures += 1;
    breaker.refuses = contact === 'refused';
    // Attempts that were under way when it opened say nothing new.
    if (breaker.openUntilMs !== null || breaker.failures < settings.failures) return;
    breaker.openUntilMs = clock.now() + openMs;
    this.changes.opened += 1;
    const { failures } = breaker;
    logger.warn({ receiver, failures, openMs }, 'webhook receiver cannot be reached, its deliveries are suspended');
  }

  #reopen(receiver: string, breaker: Breaker, contact: Contact): void {
    breaker.refuses = contact === 'refused';
    const { settings, clock, logger } = this.environment;
    breaker.openMs = Math.min(2 * breaker.openMs, settings.maxOpenMs);
    breaker.openUntilMs = clock.now() + breaker.openMs;
    logger.info({ receiver, openMs: breaker.openMs }, 'webhook receiver still cannot be reached');
  }

  #waitMs(breaker: Breaker, now: number): number {
    const probeMs = breaker.probing ? Math.min(this.environment.settings.probeWaitMs, breaker.openMs) : 0;
    const earliest = Math.max(breaker.openUntilMs ?? now, now + probeMs);
    breaker.lastWaitsUntilMs = Math.max(breaker.lastWaitsUntilMs + SPACING_MS, earliest);
    return breaker.lastWaitsUntilMs - now;
  }
}
