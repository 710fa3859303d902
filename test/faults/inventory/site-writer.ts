import { readInventoryResponse, type Verdict } from '../classify-responses.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { Random } from '../random.js';
import type { InventoryUser } from './inventory-user.js';

/**
 * A change of one site. `mark` is the description that the change sets. For a deletion, `mark` is the description
 * before the deletion.
 */
export interface SiteChange {
  readonly event: 'created' | 'updated' | 'deleted';
  readonly mark: string;
}

/** A successful request of a site writer. All changes of the request are committed. */
export interface CommittedRequest {
  readonly requestId: string;
  readonly changes: readonly SiteChange[];
}

/**
 * A site writer's request with an unknown outcome. Either all changes are committed, or the transaction was rolled
 * back.
 */
export interface UnknownRequest {
  readonly changes: readonly SiteChange[];
}

/**
 * Creates, changes and deletes sites, two sites per request, and records the outcome of each request. Some requests
 * deliberately fail and roll back.
 */
export class SiteWriter {
  readonly committed: CommittedRequest[] = [];
  readonly unknown: UnknownRequest[] = [];
  /** Descriptions of sites that exist. Excludes sites whose last change or deletion has an unknown outcome. */
  readonly present = new Set<string>();
  /** Changes in the request that is being sent; empty between two requests. */
  sending: readonly SiteChange[] = [];
  /** Number of requests that failed and were rolled back after a part of their changes. */
  rolledBack = 0;
  #count = 0;
  #generation = 0;

  constructor(
    private readonly user: InventoryUser,
    private readonly name: string,
    private readonly parts: {
      readonly random: Random;
      readonly findings: Findings;
      readonly writePauseMs?: number | undefined;
    },
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#writeOneSite(signal);
      if (this.parts.random.chance(0.3)) await this.#rolledBackRequest();
      await pause(this.parts.random.integer(10, this.parts.writePauseMs ?? 80), signal);
    }
  }

  /**
   * Makes the writer stop changing its current sites, because the commits of these sites may be lost. A refusal of a
   * pending request then does not count as a problem.
   */
  leaveSites(): void {
    this.#generation += 1;
  }

  /**
   * Creates two sites, then changes or deletes them at random. After a request with an unknown outcome, the writer no
   * longer changes these sites.
   */
  async #writeOneSite(signal: AbortSignal): Promise<void> {
    const generation = this.#generation;
    const made = this.#marks();
    const sites = made.map((mark) => ({ name: mark, slug: mark, description: mark }));
    const response = await this.#request('POST', sites, changesOf('created', made));
    if (response === null || generation !== this.#generation) return;
    for (const mark of made) this.present.add(mark);
    if (!this.parts.random.chance(0.7) || signal.aborted) return;
    const ids = response.map((site) => Number(member(site, 'id')));
    const changed = this.#marks();
    const patches = ids.map((id, index) => ({ id, description: changed[index] }));
    for (const mark of made) this.present.delete(mark);
    const updated = await this.#request('PATCH', patches, changesOf('updated', changed));
    if (updated === null || generation !== this.#generation) return;
    for (const mark of changed) this.present.add(mark);
    if (!this.parts.random.chance(0.5) || signal.aborted) return;
    for (const mark of changed) this.present.delete(mark);
    const deletions = ids.map((id) => ({ id }));
    await this.#request('DELETE', deletions, changesOf('deleted', changed));
  }

  /**
   * Sends a request with two new sites, of which the second is invalid. Neither site may be created, and no webhook may
   * be sent for the first site.
   */
  async #rolledBackRequest(): Promise<void> {
    const made = this.#marks();
    const slug = made[0];
    const sites = made.map((mark) => ({ name: mark, slug, description: mark }));
    const verdict = readInventoryResponse(await this.user.call('POST', 'dcim/sites/', sites));
    if (verdict.kind === 'refused') this.rolledBack += 1;
    else if (verdict.kind === 'done') this.parts.findings.add(`two sites were made with the slug ${slug}`);
    else this.#note(verdict, changesOf('created', made));
  }

  /** Sends a request of the site writer. Returns the list in the response, or null if the request may have failed. */
  async #request(
    method: 'POST' | 'PATCH' | 'DELETE',
    body: unknown,
    changes: readonly SiteChange[],
  ): Promise<unknown[] | null> {
    const generation = this.#generation;
    this.sending = changes;
    const verdict = readInventoryResponse(await this.user.call(method, 'dcim/sites/', body));
    this.sending = [];
    if (verdict.kind !== 'done') {
      if (verdict.kind !== 'refused' || generation === this.#generation) this.#note(verdict, changes);
      return null;
    }
    this.committed.push({ requestId: verdict.requestId, changes });
    return Array.isArray(verdict.body) ? (verdict.body as unknown[]) : [];
  }

  #note(verdict: Verdict, changes: readonly SiteChange[]): void {
    if (verdict.kind === 'unknown') this.unknown.push({ changes });
    else if (verdict.kind !== 'unsent') this.parts.findings.add(`${changes[0]?.mark}: ${JSON.stringify(verdict)}`);
  }

  #marks(): string[] {
    return [1, 2].map(() => `${this.name}-${(this.#count += 1)}`);
  }
}

function changesOf(event: SiteChange['event'], marks: readonly string[]): SiteChange[] {
  return marks.map((mark) => ({ event, mark }));
}
