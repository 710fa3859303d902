import { hash } from 'node:crypto';
import { type SqlStatementExecutor, LeastRecentlyUsedCache } from '@switchboard/database';

/** An SQL statement that was sent to the database, with its parameter values. */
export interface SentSqlStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface DatabaseTableRow {
  name: string;
  model: string | null;
  ignored: string[] | null;
  view: string | null;
}

interface DatabaseFunctionRow {
  name: string;
  source: string;
  is_opaque: boolean;
}

/**
 * A database view or function, whose text names the tables that it reads. A view or function is opaque if the code runs
 * dynamic SQL or is volatile, because the tables are then unknown.
 */
interface ViewOrFunction {
  readonly source: string;
  readonly isOpaque: boolean;
}

const databaseTablesQuerySql = `SELECT c.relname AS name, convert_from(rtrim(t.tgargs, '\\x00'), 'UTF8') AS model,
    (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE t.tgattr <> ''::int2vector AND a.attrelid = c.oid
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attnum <> ALL (t.tgattr::int2[])) AS ignored,
    CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END AS view
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = 'model_change' AND t.tgenabled = 'A'
    AND t.tgfoid = to_regproc('changes.record_change')
  WHERE n.nspname IN ('public', 'queue') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`;

const databaseFunctionsQuerySql = `SELECT p.proname AS name, string_agg(p.prosrc, ' ') AS source,
    bool_or(p.prosqlbody IS NOT NULL OR p.provolatile = 'v' OR p.prosrc ~* '\\mexecute\\M') AS is_opaque
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
  WHERE n.nspname = 'public' AND l.lanname IN ('sql', 'plpgsql') AND p.prorettype <> 'trigger'::regtype
  GROUP BY p.proname`;

/** SQL words that make the result of a statement depend on time, chance or the transaction. */
const volatileSqlWords = new Set(
  `now today tomorrow yesterday current_date current_time current_timestamp localtime localtimestamp clock_timestamp
  statement_timestamp transaction_timestamp timeofday age random gen_random_uuid nextval currval lastval
  pg_current_xact_id pg_current_xact_id_if_assigned pg_current_snapshot txid_current`.split(/\s+/),
);

/**
 * Regular expression of values that PostgreSQL interprets relative to the current time, such as `today`. Also matches
 * such a value if a time of day follows (`today10:00`).
 */
const relativeTimePattern = /(?<![a-z])(now|today|tomorrow|yesterday)(?![a-z])/i;

/**
 * Names of the database tables that contain counts. Triggers update the counts with each change of a counted table. A
 * statement that reads a count contains the name of the counted model as an SQL literal.
 */
const objectCountTables = new Set(['row_counts', 'reference_counts']);

const sqlWordPattern = /[a-z_][a-z0-9_]*/g;
const modelTypeNamePattern = /'([a-z]+)\.([a-z]+)(?:\.[a-z_]+)?'/g;

/**
 * Memory, in bytes, of the cached analysis of an SQL statement, not counting the text and the models. The value was
 * measured and rounded up.
 */
const CACHED_STATEMENT_BYTES = 300;
/**
 * Memory, in bytes, of each model in the cached analysis of an SQL statement. The value was measured and rounded up.
 */
const ANALYZED_MODEL_BYTES = 40;

/**
 * Finds the models whose tables SQL statements read. Every name of a table, view or function in the text of a statement
 * counts, regardless of how the name is used. The service builds the text from the declarations of models. Therefore
 * the tables of new relations are found without further code.
 */
export class StatementTableFinder {
  readonly #tables: ReadonlyMap<string, DatabaseTableRow>;
  readonly #routines: ReadonlyMap<string, ViewOrFunction>;
  /**
   * Models that each analyzed SQL statement reads, by the digest of the statement. The digest is the key because the
   * texts of statements are long.
   */
  readonly #known: LeastRecentlyUsedCache<
    string,
    { readonly models: ReadonlySet<number> | null; readonly byteLength: number }
  >;

  private constructor(
    tables: readonly DatabaseTableRow[],
    functions: readonly DatabaseFunctionRow[],
    limitBytes: number,
  ) {
    this.#known = new LeastRecentlyUsedCache(limitBytes);
    this.#tables = new Map(tables.filter(({ view }) => view === null).map((table) => [table.name, table]));
    const views = tables.flatMap(({ name, view }) =>
      view === null ? [] : [[name, { source: view, isOpaque: false }] as const],
    );
    const routines = functions.map(({ name, source, is_opaque: isOpaque }) => [name, { source, isOpaque }] as const);
    this.#routines = new Map([...views, ...routines]);
  }

  /**
   * Reads the tables with their triggers, the views and the functions of the database.
   *
   * @param limitBytes maximum total size, in bytes, of the cached results of statement analyses
   */
  static async readDatabaseTables(database: SqlStatementExecutor, limitBytes: number): Promise<StatementTableFinder> {
    const [tables, functions] = await Promise.all([
      database.query<DatabaseTableRow>(databaseTablesQuerySql),
      database.query<DatabaseFunctionRow>(databaseFunctionsQuerySql),
    ]);
    return new StatementTableFinder(tables.rows, functions.rows, limitBytes);
  }

  /** Total size, in bytes, of the cached results of statement analyses. */
  get byteLength(): number {
    return this.#known.byteLength;
  }

  /**
   * Returns the models of all tables that the given SQL statements read. Returns null if the result of a statement may
   * change without a recorded change.
   */
  listModelsReadByStatements(statements: readonly SentSqlStatement[]): ReadonlySet<number> | null {
    const models = new Set<number>();
    for (const { text, values } of statements) {
      if (values.flat().some((value) => typeof value === 'string' && relativeTimePattern.test(value))) return null;
      const found = this.#modelsOfText(text);
      if (found === null) return null;
      for (const model of found) models.add(model);
    }
    return models;
  }

  #modelsOfText(text: string): ReadonlySet<number> | null {
    const digest = hash('sha256', text, 'base64');
    const known = this.#known.getAndMarkRecentlyUsed(digest);
    if (known !== undefined) return known.models;
    const models = this.#find(text);
    this.#known.setCachedValue(digest, {
      models,
      byteLength: CACHED_STATEMENT_BYTES + ANALYZED_MODEL_BYTES * (models?.size ?? 0),
    });
    return models;
  }

  #find(text: string): ReadonlySet<number> | null {
    const words = this.#wordsOf(text);
    if (words === null) return null;
    const models = new Set<number>();
    for (const word of words) {
      const table = this.#tables.get(word);
      if (table === undefined || objectCountTables.has(word)) continue;
      // Changes of a table without the trigger, and of columns that the trigger ignores, are not recorded.
      if (table.model === null || table.ignored?.some((column) => words.has(column)) === true) return null;
      models.add(Number(table.model));
    }
    return models;
  }

  /**
   * Returns all words in an SQL statement, and in the functions and views that the statement names. Returns null if the
   * result of the statement can vary without a recorded change.
   */
  #wordsOf(text: string): ReadonlySet<string> | null {
    const words = new Set<string>();
    const texts = [text];
    for (let source = texts.pop(); source !== undefined; source = texts.pop()) {
      const lower = source.toLowerCase();
      for (const [word] of lower.matchAll(sqlWordPattern)) {
        if (words.has(word)) continue;
        words.add(word);
        if (volatileSqlWords.has(word)) return null;
        const routine = this.#routines.get(word);
        if (routine?.isOpaque === true) return null;
        if (routine !== undefined) texts.push(routine.source);
      }
      if ([...objectCountTables].some((table) => lower.includes(table)) && !this.#addCountedTables(lower, words))
        return null;
    }
    return words;
  }

  /**
   * Adds to `words` the names of the tables whose stored counts an SQL statement reads. Literals of the statement name
   * these tables as `<app>.<model>` or `<app>.<model>.<field>`. Returns false if a named table is unknown.
   */
  #addCountedTables(text: string, words: Set<string>): boolean {
    const tables = [...text.matchAll(modelTypeNamePattern)].map(([, app, model]) => `${app}_${model}`);
    for (const table of tables) words.add(table);
    return tables.length > 0 && tables.every((table) => this.#tables.has(table));
  }
}
