import type { SqlStatementResult, SqlStatement, Tx } from '@switchboard/database';

/** One node of a query plan in the JSON output of EXPLAIN. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A recorded SQL statement, with the number of rows that the statement returned. */
export interface RecordedStatement extends SqlStatement {
  readonly returned: number;
}

/** Transaction wrapper that forwards SQL statements and records the statements. */
export class RecordingTx implements Tx {
  readonly statements: RecordedStatement[] = [];

  constructor(private readonly tx: Tx) {}

  get prisma(): unknown {
    return this.tx.prisma;
  }

  async query<R>(sql: string | SqlStatement, params?: unknown[]): Promise<SqlStatementResult<R>> {
    const outcome = await this.tx.query<R>(sql, params);
    const statement = typeof sql === 'string' ? { text: sql } : sql;
    const values = params ?? statement.values ?? [];
    this.statements.push({ ...statement, values, returned: outcome.rows.length });
    return outcome;
  }
}

/** Work done by one SQL statement, measured by EXPLAIN. */
export interface PlanCost {
  /** Number of table and index pages that the statement read. A page that is read repeatedly is counted each time. */
  readonly buffers: number;
  /** Number of rows that the statement read, by table, including rows that were discarded. */
  readonly touched: ReadonlyMap<string, number>;
  /** Number of rows whose table page was read, by table. Rows that were read only from an index are not counted. */
  readonly fetched: ReadonlyMap<string, number>;
  /** Names of the tables that the statement read completely, by a sequential scan. */
  readonly scanned: ReadonlySet<string>;
  /** Names of the indexes that the query plan of the statement uses. */
  readonly indexes: ReadonlySet<string>;
}

/** Runs a recorded SQL statement again with EXPLAIN. Returns the measured work of the statement. */
export async function measurePlanCost(tx: Tx, { text, values }: SqlStatement): Promise<PlanCost> {
  const { rows } = await tx.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
    values,
  );
  const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
  if (explained === undefined) throw new Error('No plan');
  const touched = new Map<string, number>();
  const fetched = new Map<string, number>();
  const scanned = new Set<string>();
  const indexes = new Set<string>();
  for (const node of nodesOf(explained.Plan)) {
    if (node['Index Name'] !== undefined) indexes.add(node['Index Name']);
    const table = node['Relation Name'];
    if (table === undefined) continue;
    touched.set(table, (touched.get(table) ?? 0) + rowsRead(node));
    if (node['Node Type'] !== 'Index Only Scan') fetched.set(table, (fetched.get(table) ?? 0) + rowsRead(node));
    if (node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 0) scanned.add(table);
  }
  const { 'Shared Hit Blocks': hit = 0, 'Shared Read Blocks': read = 0 } = explained.Plan;
  return { buffers: hit + read, touched, fetched, scanned, indexes };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function rowsRead(node: PlanNode): number {
  const each =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return each * node['Actual Loops'];
}
