import pg from 'pg';

/** A database table and its key column, whose values increase with each inserted row. */
export interface TableWithIncreasingKey {
  readonly name: string;
  readonly key: string;
}

/** Highest key of each table at one point in time. */
type HighestKeyByTable = readonly { readonly table: TableWithIncreasingKey; readonly highest: string }[];

/** Rows that a measured request has added to tables, as JSON arrays. The baseline inserts the same rows. */
export type AddedRowsByTable = readonly {
  readonly table: TableWithIncreasingKey;
  readonly keys: readonly string[];
  readonly json: string;
}[];

/** Baseline that writes the rows of all tables in one transaction, with one prepared statement for each table. */
export class BaselineRowWriter {
  readonly #columns = new Map<string, string>();

  private constructor(private readonly client: pg.Client) {}

  static async connect(url: string): Promise<BaselineRowWriter> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new BaselineRowWriter(client);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  async readHighestKeys(tables: readonly TableWithIncreasingKey[]): Promise<HighestKeyByTable> {
    const marks: { table: TableWithIncreasingKey; highest: string }[] = [];
    for (const table of tables) {
      const { rows } = await this.client.query<{ highest: string }>(
        `SELECT coalesce(max(${table.key}), 0)::text AS highest FROM ${table.name}`,
      );
      marks.push({ table, highest: rows[0]?.highest ?? '0' });
    }
    return marks;
  }

  /** Returns the rows of all tables whose keys are greater than the given highest keys. */
  async readRowsAddedSince(marks: HighestKeyByTable): Promise<AddedRowsByTable> {
    const added: { table: TableWithIncreasingKey; keys: string[]; json: string }[] = [];
    for (const { table, highest } of marks) {
      const { rows } = await this.client.query<{ keys: string[] | null; json: string }>(
        `SELECT array_agg(DISTINCT t.${table.key}::text) AS keys, coalesce(json_agg(t), '[]')::text AS json
          FROM ${table.name} t WHERE t.${table.key} > $1`,
        [highest],
      );
      added.push({ table, keys: rows[0]?.keys ?? [], json: rows[0]?.json ?? '[]' });
    }
    return added;
  }

  /** Inserts rows in one transaction. Returns the milliseconds from the start of the transaction to the commit. */
  async insertRows(added: AddedRowsByTable): Promise<number> {
    for (const { table } of added) await this.#columnsOf(table);
    return this.#inTransaction(() => this.#insertAll(added));
  }

  /**
   * Deletes rows in reverse order of the tables.
   *
   * @param options tables to delete from, all by default; rows to insert afterwards
   * @returns the milliseconds until the commit
   */
  async deleteRows(
    added: AddedRowsByTable,
    options: { tables?: readonly TableWithIncreasingKey[]; record?: AddedRowsByTable } = {},
  ): Promise<number> {
    const { tables, record = [] } = options;
    for (const { table } of record) await this.#columnsOf(table);
    const deleted = added.filter(({ table }) => tables === undefined || tables.includes(table)).toReversed();
    const ms = await this.#inTransaction(async () => {
      for (const { table, keys } of deleted) {
        await this.client.query({
          name: `delete ${table.name}`,
          text: `DELETE FROM ${table.name} WHERE ${table.key} = ANY ($1::bigint[])`,
          values: [keys],
        });
      }
      await this.#insertAll(record);
    });
    if (tables !== undefined) {
      const others = added.filter(({ table }) => !tables.includes(table));
      await this.deleteRows([...others, ...record]);
    }
    return ms;
  }

  async #insertAll(added: AddedRowsByTable): Promise<void> {
    for (const { table, json } of added) {
      const columns = await this.#columnsOf(table);
      await this.client.query({
        name: `insert ${table.name}`,
        text: `INSERT INTO ${table.name} (${columns}) OVERRIDING SYSTEM VALUE
          SELECT ${columns} FROM json_populate_recordset(NULL::${table.name}, $1::json)`,
        values: [json],
      });
    }
  }

  async #columnsOf({ name }: TableWithIncreasingKey): Promise<string> {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    const { rows } = await this.client.query<{ columns: string }>(
      `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute
        WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [name],
    );
    const columns = rows[0]?.columns ?? '';
    this.#columns.set(name, columns);
    return columns;
  }

  async #inTransaction(run: () => Promise<void>): Promise<number> {
    const started = performance.now();
    await this.client.query('BEGIN');
    await this.client.query('SET CONSTRAINTS ALL DEFERRED');
    await run();
    await this.client.query('COMMIT');
    return performance.now() - started;
  }
}
