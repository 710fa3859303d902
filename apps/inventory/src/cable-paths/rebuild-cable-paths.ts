import type { Database, Tx } from '@switchboard/database';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import type { Logger } from '@switchboard/platform';
import type { ObjectTypeAndId } from './cable-graph.js';
import {
  compareStoredAndTracedPaths,
  type CablePathDifferences,
  replacePathsFromOrigins,
} from './retrace-cable-paths.js';
import { pathEndpointTypes } from './cable-path-tracer.js';

type CablePathDatabase = Pick<Database, 'inTransaction'>;

/** Maximum number of endpoints whose cable paths one transaction traces. */
const endpointsPerTransaction = 500;

/**
 * Maximum number of times that a batch of endpoints is repeated after a conflict. Each repetition processes half as
 * many endpoints.
 */
const maxEndpointBatchRetries = 6;

/**
 * Returns the SQL query for the endpoints of the model `$1` that have a link and an id greater than `$2`. At most `$3`
 * endpoints are returned. The SQL text `condition` adds a condition on the endpoint's id `e.id`.
 */
function createLinkedEndpointsSql(condition: string): string {
  return `(SELECT e.id FROM (SELECT termination_id AS id FROM dcim_cabletermination WHERE termination_type = $1) e
      WHERE e.id > $2${condition} ORDER BY e.id LIMIT $3)
    UNION (SELECT e.id FROM dcim_interface e WHERE $1 = 'dcim.interface' AND e.wireless_link_id IS NOT NULL
      AND e.id > $2${condition} ORDER BY e.id LIMIT $3)`;
}

const endpointWithoutPathCondition = ` AND NOT EXISTS (SELECT FROM dcim_cablepathnode n WHERE n.object_type = $1 AND n.object_id = e.id AND n.is_origin)`;

const endpointsWithCablePathSql = `(SELECT n.object_id FROM dcim_cablepathnode n WHERE n.object_type = $1 AND n.object_id > $2 AND n.is_origin
  ORDER BY n.object_id LIMIT $3)`;

const orderAndLimitClauseSql = ` ORDER BY id LIMIT $3`;
const allEndpointsSql = `${createLinkedEndpointsSql('')} UNION ${endpointsWithCablePathSql}${orderAndLimitClauseSql}`;
const endpointsWithoutPathSql = `${createLinkedEndpointsSql(endpointWithoutPathCondition)}${orderAndLimitClauseSql}`;

/**
 * Compares all stored cable paths with a trace of all cables, and returns the numbers of differences. Each batch reads
 * one database snapshot, so that concurrent changes are not counted as differences.
 */
export function countOutdatedCablePaths(database: CablePathDatabase): Promise<CablePathDifferences> {
  const snapshots: CablePathDatabase = {
    inTransaction: (run, options) =>
      database.inTransaction(run, { ...options, isolation: 'repeatable read', readOnly: true }),
  };
  return forEachEndpointBatch(snapshots, allEndpointsSql, compareStoredAndTracedPaths);
}

/**
 * Traces all cable paths and replaces stored paths that differ. Returns the numbers of differences. The function may
 * run while users change cables.
 */
export function rebuildCablePaths(database: CablePathDatabase): Promise<CablePathDifferences> {
  return forEachEndpointBatch(database, allEndpointsSql, replacePathsFromOrigins);
}

/**
 * Stores the missing paths of cables that were connected before paths were stored. Safe in concurrent processes and
 * after an interruption. If all paths are stored, takes one statement for each kind of endpoint.
 *
 * @param signal ends the work after the current transaction
 */
export async function buildMissingCablePaths(
  database: CablePathDatabase,
  logger: Pick<Logger, 'info'>,
  signal: AbortSignal,
): Promise<void> {
  const started = performance.now();
  const { missing } = await forEachEndpointBatch(database, endpointsWithoutPathSql, replacePathsFromOrigins, signal);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  if (missing > 0) logger.info({ paths: missing, seconds }, 'stored the paths of existing cables');
}

/**
 * Endpoints of one model whose cable paths one transaction processes: at most `count` endpoints, with ids above
 * `after`.
 */
interface CablePathEndpointBatch {
  readonly type: string;
  readonly after: number;
  readonly count: number;
}

/** Result of processing one batch of endpoints: the numbers of differences, and the highest endpoint id. */
interface CablePathEndpointBatchResult extends CablePathDifferences {
  /** Highest endpoint id in the batch; null if the batch contained no endpoints. */
  readonly last: number | null;
}

async function forEachEndpointBatch(
  database: CablePathDatabase,
  statement: string,
  run: (tx: Tx, origins: readonly ObjectTypeAndId[]) => Promise<CablePathDifferences>,
  signal?: AbortSignal,
): Promise<CablePathDifferences> {
  let [obsolete, missing] = [0, 0];
  const runBatch = ({ type, after, count }: CablePathEndpointBatch): Promise<CablePathEndpointBatchResult> =>
    database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ id: number }>(statement, [type, after, count]);
      const last = rows.at(-1)?.id ?? null;
      if (last === null) return { last, obsolete: 0, missing: 0 };
      const origins = rows.map(({ id }) => ({ type, id }));
      return { last, ...(await run(tx, origins)) };
    });
  for (const type of pathEndpointTypes) {
    let after: number | null = 0;
    while (after !== null && signal?.aborted !== true) {
      const found = await processEndpointBatchWithRetries({ type, after, count: endpointsPerTransaction }, runBatch);
      after = found.last;
      obsolete += found.obsolete;
      missing += found.missing;
    }
  }
  return { obsolete, missing };
}

/** Kinds of database errors after which a batch of endpoints is processed again. */
const retriedDatabaseErrorKinds: readonly unknown[] = ['unique', 'deadlock', 'serialization'];

/**
 * Processes a batch of endpoints. After a conflict with a transaction that changes the same cable paths, repeats the
 * batch with fewer endpoints.
 */
async function processEndpointBatchWithRetries(
  batch: CablePathEndpointBatch,
  run: (batch: CablePathEndpointBatch) => Promise<CablePathEndpointBatchResult>,
): Promise<CablePathEndpointBatchResult> {
  for (let repetition = 0; ; repetition += 1) {
    try {
      return await run({ ...batch, count: Math.max(1, batch.count >> repetition) });
    } catch (error) {
      if (
        repetition === maxEndpointBatchRetries ||
        !retriedDatabaseErrorKinds.includes(convertErrorToDatabaseFault(error)?.kind)
      )
        throw error;
    }
  }
}
