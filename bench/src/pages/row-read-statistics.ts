import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * Milliseconds to wait before a measured request, because PostgreSQL publishes its statistics with delay. A session
 * publishes its read counts with the first statement at least one second after the previous publication.
 */
const STATISTICS_PUBLICATION_DELAY_MS = 1200;

interface RowReadCounts {
  /** Number of rows that were read from the tables of messages and flags, by an index or by a full scan. */
  readonly rows: number;
  /** Number of full scans of the tables of messages and flags. */
  readonly scans: number;
}

/** Reads PostgreSQL's statistics about reads of the message tables. */
export class MessageRowReadStatistics {
  private constructor(private readonly client: pg.Client) {}

  static async connect(url: string): Promise<MessageRowReadStatistics> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new MessageRowReadStatistics(client);
  }

  /**
   * Returns the average number of rows that one request reads.
   *
   * @param request sends one request; all its calls must use the same database connection, because each connection
   * reports its own reads
   */
  async measureAverageReadsPerRequest(request: () => Promise<void>, times: number): Promise<RowReadCounts> {
    await sleep(STATISTICS_PUBLICATION_DELAY_MS);
    await request();
    const before = await this.readCurrentRowReadCounts();
    for (let n = 1; n < times; n += 1) await request();
    await sleep(STATISTICS_PUBLICATION_DELAY_MS);
    await request();
    const after = await this.readCurrentRowReadCounts();
    return { rows: (after.rows - before.rows) / times, scans: after.scans - before.scans };
  }

  private async readCurrentRowReadCounts(): Promise<RowReadCounts> {
    const { rows } = await this.client.query<{ rows: string; scans: string }>(
      `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS rows, sum(seq_scan) AS scans
       FROM pg_stat_user_tables WHERE relname IN ('messages', 'message_texts', 'user_messages')`,
    );
    return { rows: Number(rows[0]?.rows), scans: Number(rows[0]?.scans) };
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
