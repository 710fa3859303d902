import type { ChatCase } from '../chat/chat-case.js';
import { pause } from '../abortable-pause.js';
import type { Findings } from '../findings.js';
import type { RequestOutcome } from '../http.js';
import type { InventoryCase } from '../inventory/inventory-case.js';
import type { ServiceProcess } from '../services/service-process.js';
import { isAccepted, originOf } from './lost-rows.js';
import { createTestedCredentials, type TestedCredential } from './tested-credentials.js';

/** Maximum age of a cached credential in a process of a service, in milliseconds. */
const maxCachedCredentialAgeMs = 10_000;
/** Pause between two requests with a credential to a process, in milliseconds. */
const requestPauseMs = 100;

/** Times of the requests with an ended credential. */
export interface EndedCredentialFigures {
  readonly credentials: number;
  readonly requests: number;
  /** Latest accepted request after the end of its credential was acknowledged, in milliseconds; 0 if there is none. */
  readonly 'last accepted (ms)': number;
}

/**
 * Ends credentials directly before and during the loss of a Redis primary. Sends requests with the credentials to each
 * process without interruption. The credentials are therefore in the memory of each process when they end.
 */
export class EndedCredentials {
  readonly #stopped = new AbortController();
  /** Times at which the end of a credential was acknowledged. */
  readonly #endedAt = new Map<TestedCredential, number>();
  #watching: Promise<unknown> = Promise.resolve();
  #requests = 0;
  #lastAcceptedMs = 0;

  private constructor(
    private readonly credentials: readonly TestedCredential[],
    private readonly findings: Findings,
  ) {}

  /** Creates the credentials and starts the requests. Resolves when each process has accepted each credential. */
  static async start(chat: ChatCase, inventory: InventoryCase, findings: Findings): Promise<EndedCredentials> {
    const ended = new EndedCredentials(await createTestedCredentials(chat, inventory), findings);
    const pairs = ended.credentials.flatMap((one) => one.processes.map((process) => ({ one, process })));
    for (const { one, process } of pairs) {
      while ((await ended.#use(one, process)) !== true) await pause(requestPauseMs);
    }
    ended.#watching = Promise.all(pairs.map(({ one, process }) => ended.#watch(one, process)));
    return ended;
  }

  /** Ends the first half of the credentials. Resolves when the ends are acknowledged. */
  async endFirst(): Promise<void> {
    await this.#end(this.credentials.filter(({ endsDuringLoss }) => !endsDuringLoss));
  }

  /** Ends the other half of the credentials. Repeats each request until the end is acknowledged. */
  async endDuringLoss(): Promise<void> {
    await this.#end(this.credentials.filter(({ endsDuringLoss }) => endsDuringLoss));
  }

  /**
   * Waits until no process may have a credential in its memory, then checks once more that each process refuses each
   * credential. Also checks that the event queues of deactivated accounts have ended.
   */
  async finish(): Promise<EndedCredentialFigures> {
    const latest = Math.max(...this.#endedAt.values());
    await pause(Math.max(0, latest + maxCachedCredentialAgeMs - performance.now()));
    this.#stopped.abort();
    await this.#watching;
    for (const one of this.credentials) {
      for (const process of one.processes) {
        let accepted = await this.#use(one, process);
        for (; accepted === null; accepted = await this.#use(one, process)) await pause(requestPauseMs);
        this.findings.check(!accepted, () => `${process.options.name} accepts ${one.name} after its end`);
      }
    }
    for (const one of this.credentials) {
      for (const line of await one.findSurvivors()) this.findings.add(`${one.name}: ${line}`);
    }
    return {
      credentials: this.credentials.length,
      requests: this.#requests,
      'last accepted (ms)': Math.round(this.#lastAcceptedMs),
    };
  }

  /** Stops the requests. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#watching;
  }

  async #end(credentials: readonly TestedCredential[]): Promise<void> {
    await Promise.all(
      credentials.map(async (one) => {
        while (!isEnded(await one.end())) await pause(requestPauseMs);
        this.#endedAt.set(one, performance.now());
      }),
    );
  }

  async #watch(one: TestedCredential, process: ServiceProcess): Promise<void> {
    const { signal } = this.#stopped;
    let refused = false;
    for (; !signal.aborted; await pause(requestPauseMs)) {
      const startedAt = performance.now();
      const endedAt = this.#endedAt.get(one) ?? Infinity;
      const accepted = await this.#use(one, process);
      if (accepted === false) refused = true;
      if (accepted !== true || startedAt < endedAt) continue;
      const ageMs = startedAt - endedAt;
      this.#lastAcceptedMs = Math.max(this.#lastAcceptedMs, ageMs);
      const { name } = process.options;
      this.findings.check(!refused, () => `${name} accepted ${one.name} again after it had refused it`);
      const isLate = ageMs > maxCachedCredentialAgeMs;
      this.findings.check(!isLate, () => `${name} accepted ${one.name} ${ageMs} ms after its end`);
    }
  }

  /** Returns true if a process accepts the credential, false if not, and null for an unsuccessful response. */
  async #use(one: TestedCredential, process: ServiceProcess): Promise<boolean | null> {
    this.#requests += 1;
    const outcome = await one.use(originOf(process));
    const isUnexpected = outcome.kind === 'answered' && outcome.status >= 500 && outcome.status !== 503;
    this.findings.check(!isUnexpected, () => `${process.options.name}: ${JSON.stringify(outcome).slice(0, 300)}`);
    return isAccepted(outcome);
  }
}

/**
 * Returns true if the response shows that the credential has ended. A repeated request may be refused because the first
 * one ended the credential.
 */
function isEnded(outcome: RequestOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status < 500;
}
