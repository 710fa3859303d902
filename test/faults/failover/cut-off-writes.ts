import type { MessageWriter } from '../chat/message-writer.js';
import { keyOf, type PossibleLoss } from '../inventory/check-deliveries.js';
import type { Receiver } from '../inventory/receiver.js';
import type { SiteWriter } from '../inventory/site-writer.js';

/**
 * Record of the writes that an asynchronous failover may lose. These writes happen after the last replicated write and
 * before the promotion of the standby. The object must be created before the replication is cut.
 */
export class CutOffWrites {
  readonly #replicated: ReadonlySet<string>;
  readonly #replicatedSites: ReadonlySet<string>;

  constructor(
    private readonly messageWriters: readonly MessageWriter[],
    private readonly siteWriters: readonly SiteWriter[],
    private readonly receiver: Receiver,
  ) {
    this.#replicated = new Set(this.#acknowledged());
    this.#replicatedSites = new Set(siteWriters.flatMap(({ present }) => [...present]));
  }

  /**
   * Returns the writes that the failover may have lost. Must be called directly after the promotion of the standby.
   * Afterwards the writers no longer expect their lost sites.
   *
   * @param changes keys of other changes that are lost
   */
  end(changes: readonly string[]): PossibleLoss {
    for (const writer of this.siteWriters) {
      for (const mark of writer.present) if (!this.#replicatedSites.has(mark)) writer.present.delete(mark);
      writer.leaveSites();
    }
    const keys = [...this.#acknowledged(), ...this.#unknown()];
    const cutOff = new Set([...keys.filter((key) => !this.#replicated.has(key)), ...changes]);
    return { cutOff, arrivals: new Set([...this.receiver.byChange.values()].flat()) };
  }

  #acknowledged(): string[] {
    const changes = this.siteWriters.flatMap(({ committed }) => committed.flatMap((request) => request.changes));
    return [...this.messageWriters.flatMap(({ committed }) => [...committed.keys()]), ...changes.map(keyOf)];
  }

  /** Returns the keys of writes with an unknown outcome, and of writes that are being sent. */
  #unknown(): string[] {
    const messages = this.messageWriters.flatMap(({ unknown, sending }) => {
      return [...unknown, ...(sending === null ? [] : [sending])];
    });
    const changes = this.siteWriters.flatMap(({ unknown, sending }) => {
      return [...unknown.flatMap((request) => request.changes), ...sending];
    });
    return [...messages, ...changes.map(keyOf)];
  }
}
