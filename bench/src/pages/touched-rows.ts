import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** PostgreSQL writes down what a session read with its first statement a second after the last time. */
const FLUSH_AFTER_MS = 1200;

interface TableReads {
  /** Rows of messages and flags that were fetched, by an index or not. */
  readonly rows: number;
  /** Number of full scans of one of these tables. */
  readonly scans: number;
}

/** Reads the counters of PostgreSQL for the tables of messages. */
export class TouchedRows {
  private constructor(private readonly client: pg.Client) {}

  static async connect(url: string): Promise<TouchedRows> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new TouchedRows(client);
  }

  /**
   * Returns the rows that one request reads, on the average of several.
   *
   * @param request has to reach one connection to the database, as requests one by one do: the last of them makes it
   *   write down what all of them read
   */
  async perRequest(request: () => Promise<void>, times: number): Promise<TableReads> {
    await sleep(FLUSH_AFTER_MS);
    await request();
    const before = await this.reads();
    for (let n = 1; n < times; n += 1) await request();
    await sleep(FLUSH_AFTER_MS);
    await request();
    const after = await this.reads();
    return { rows: (after.rows - before.rows) / times, scans: after.scans - before.scans };
  }

  private async reads(): Promise<TableReads> {
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
