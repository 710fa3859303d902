import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';

/** Entries that one statement removes. */
const batchSize = 10_000;
const dayMs = 86_400_000;

/** What decides which entries stay. */
export interface RetentionOptions {
  readonly database: Tx;
  /** Days that entries are kept; 0 for ever. */
  readonly days: number;
  /** Whether of objects that are still there the creation and the last change stay. */
  readonly keepsEnds: boolean;
  readonly clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  readonly logger: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

const removal = `DELETE FROM core_objectchange WHERE id IN (
  SELECT c.id FROM core_objectchange c
  WHERE c.time < now() - make_interval(days => $1::int) AND NOT ($2::boolean
    AND (c.action = 'create' OR c.action = 'update' AND NOT EXISTS (
      SELECT FROM core_objectchange later WHERE later.changed_object_type = c.changed_object_type
        AND later.changed_object_id = c.changed_object_id AND later.action = 'update' AND later.id > c.id))
    AND NOT EXISTS (
      SELECT FROM core_objectchange gone WHERE gone.changed_object_type = c.changed_object_type
        AND gone.changed_object_id = c.changed_object_id AND gone.action = 'delete'))
  ORDER BY c.time LIMIT ${batchSize})`;

/** Removes what the change log need not keep any more (contract 4), once a day. Any number of processes may do so. */
export class ChangeLogRetention {
  #timer: ReturnType<Clock['setTimeout']> | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = true;

  constructor(private readonly options: RetentionOptions) {}

  /** Removes now and then once a day; nothing when entries are kept for ever. */
  start(): void {
    if (this.options.days === 0) return;
    this.#stopped = false;
    this.#schedule(0);
  }

  /** Ends with the batch that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.options.clock.clearTimeout(this.#timer);
    await this.#running;
  }

  /** Removes what is too old, batch by batch. Answers how many entries. */
  async run(): Promise<number> {
    const { database, days, keepsEnds } = this.options;
    if (days === 0) return 0;
    let total = 0;
    for (;;) {
      const { rowCount } = await database.query(removal, [days, keepsEnds]);
      total += rowCount;
      if (rowCount < batchSize || this.#stopped) return total;
    }
  }

  #schedule(delayMs: number): void {
    this.#timer = this.options.clock.setTimeout(() => {
      this.#running = this.#runLogged().then(() => {
        if (!this.#stopped) this.#schedule(dayMs);
      });
    }, delayMs);
  }

  async #runLogged(): Promise<void> {
    const { logger } = this.options;
    try {
      const count = await this.run();
      if (count > 0) logger.info({ count }, 'old entries of the change log were removed');
    } catch (error) {
      logger.warn({ err: error }, 'old entries of the change log could not be removed');
    }
  }
}
