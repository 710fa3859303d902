import { systemClock, type Clock } from '../clock.js';

/** Result of one health check, such as of a database connection. */
export interface HealthCheckResult {
  ok: boolean;
  /**
   * Text about the check for the operator, which may also be set if the check passes. The text must not contain
   * secrets, because any client that can reach the port can read it.
   */
  detail?: string;
}

/** Response body of the readiness check `/health/ready`. */
export interface HealthReport {
  status: 'ok' | 'degraded' | 'unavailable' | 'stopping';
  checks: Record<string, HealthCheckResult>;
}

type HealthCheck = () => Promise<HealthCheckResult>;

interface RegisteredHealthCheck {
  readonly check: HealthCheck;
  readonly isRequired: boolean;
}

/** Health of this process, served at the paths `/health/live` and `/health/ready`. */
export class ProcessHealth {
  readonly #checks = new Map<string, RegisteredHealthCheck>();
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  #isStopping = false;
  #isReplaced = false;
  #currentReport: Promise<HealthReport> | undefined;

  /** @param options `timeoutMs`: time limit of a check, after which it counts as failed (default 2000) */
  constructor(options: { timeoutMs?: number; clock?: Clock } = {}) {
    this.#timeoutMs = options.timeoutMs ?? 2_000;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Adds a check to the readiness check. A check that throws counts as failed, with the error message as detail.
   *
   * @param options `isRequired`: false for a dependency without which the service still works; its failure makes the
   *   service `degraded`, which is served as 200 (default true)
   * @throws Error when the name is taken
   */
  addCheck(name: string, check: HealthCheck, options: { isRequired?: boolean } = {}): void {
    if (this.#checks.has(name)) {
      throw new Error(`A health check named ${name} already exists`);
    }
    this.#checks.set(name, { check, isRequired: options.isRequired ?? true });
  }

  /** Marks the process as not ready, so that a load balancer sends no new requests. */
  markStopping(): void {
    this.#isStopping = true;
  }

  /**
   * Marks the process as replaced by another process on the same port. The process remains ready, because a readiness
   * request to the port may reach either process.
   */
  markReplaced(): void {
    this.#isReplaced = true;
  }

  /** True if the process was marked as replaced by {@link markReplaced}. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** True if the process closes each connection after the next response, because it is being stopped or replaced. */
  get mustCloseConnections(): boolean {
    return this.#isStopping || this.#isReplaced;
  }

  /** True if the process was marked as not ready by {@link markStopping}. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Runs all readiness checks concurrently. Calls during a running check get the result of that run, so that slow
   * checks cannot accumulate.
   */
  runReadinessChecks(): Promise<HealthReport> {
    this.#currentReport ??= this.#runInstallationChecks().finally(() => {
      this.#currentReport = undefined;
    });
    return this.#currentReport;
  }

  async #runInstallationChecks(): Promise<HealthReport> {
    const results = await Promise.all(
      [...this.#checks].map(async ([name, { check, isRequired }]) => {
        return { name, isRequired, result: await this.#runCheck(check) };
      }),
    );
    const failed = results.filter(({ result }) => !result.ok);
    const health =
      failed.length === 0 ? 'ok' : failed.some(({ isRequired }) => isRequired) ? 'unavailable' : 'degraded';
    const checks = Object.fromEntries(results.map(({ name, result }) => [name, result]));
    return { status: this.#isStopping ? 'stopping' : health, checks };
  }

  #runCheck(check: HealthCheck): Promise<HealthCheckResult> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(
        () => resolve({ ok: false, detail: `no response within ${this.#timeoutMs} ms` }),
        this.#timeoutMs,
      );
      void Promise.resolve()
        .then(check)
        .catch((error: unknown): HealthCheckResult => {
          return { ok: false, detail: error instanceof Error ? error.message : String(error) };
        })
        .then(resolve)
        .finally(() => this.#clock.clearTimeout(timer));
    });
  }
}
