import type { Database, Tx } from '@switchboard/database';
import type { Logger } from '@switchboard/platform';
import type { ObjectKey } from './graph.js';
import { comparePaths, type PathDifferences, retraceOrigins } from './keep-paths.js';
import { endpointTypes } from './tracer.js';

type PathDatabase = Pick<Database, 'inTransaction'>;

/** Number of endpoints whose paths one transaction traces. */
const endpointsAtOnce = 1_000;

/**
 * Returns the SQL query of the endpoints of the model `$1` that have a link and an id greater than `$2`. `condition`
 * restricts them further by their id `e.id`.
 */
function linked(condition: string): string {
  return `(SELECT e.id FROM (SELECT termination_id AS id FROM dcim_cabletermination WHERE termination_type = $1) e
      WHERE e.id > $2${condition} ORDER BY e.id LIMIT ${endpointsAtOnce})
    UNION (SELECT e.id FROM dcim_interface e WHERE $1 = 'dcim.interface' AND e.wireless_link_id IS NOT NULL
      AND e.id > $2${condition} ORDER BY e.id LIMIT ${endpointsAtOnce})`;
}

const withoutPath = ` AND NOT EXISTS (SELECT FROM dcim_cablepathnode n WHERE n.object_type = $1 AND n.object_id = e.id AND n.is_origin)`;

const withPath = `(SELECT n.object_id FROM dcim_cablepathnode n WHERE n.object_type = $1 AND n.object_id > $2 AND n.is_origin
  ORDER BY n.object_id LIMIT ${endpointsAtOnce})`;

const first = ` ORDER BY id LIMIT ${endpointsAtOnce}`;
const allEndpoints = `${linked('')} UNION ${withPath}${first}`;
const endpointsWithoutPath = `${linked(withoutPath)}${first}`;

/** Compares all stored paths with a trace of all cables. */
export function checkPaths(database: PathDatabase): Promise<PathDifferences> {
  return forEachBatch(database, allEndpoints, comparePaths);
}

/** Traces all cable paths and replaces stored ones that differ. Returns the numbers of differences. */
export function rebuildPaths(database: PathDatabase): Promise<PathDifferences> {
  return forEachBatch(database, allEndpoints, retraceOrigins);
}

/**
 * Stores the cable paths that are missing because their cables were connected before paths were stored. Safe in
 * concurrent processes and after an interruption. If no path is missing it takes one statement for each kind of
 * endpoint.
 *
 * @param signal ends the work after the current transaction
 */
export async function buildMissingPaths(
  database: PathDatabase,
  logger: Pick<Logger, 'info'>,
  signal: AbortSignal,
): Promise<void> {
  const started = performance.now();
  const { missing } = await forEachBatch(database, endpointsWithoutPath, retraceOrigins, signal);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  if (missing > 0) logger.info({ paths: missing, seconds }, 'stored the paths of existing cables');
}

async function forEachBatch(
  database: PathDatabase,
  statement: string,
  run: (tx: Tx, origins: readonly ObjectKey[]) => Promise<PathDifferences>,
  signal?: AbortSignal,
): Promise<PathDifferences> {
  let [obsolete, missing] = [0, 0];
  for (const type of endpointTypes) {
    let after: number | null = 0;
    while (after !== null && signal?.aborted !== true) {
      const from: number = after;
      after = await database.inTransaction(async (tx) => {
        const { rows } = await tx.query<{ id: number }>(statement, [type, from]);
        if (rows.length === 0) return null;
        const found = await run(
          tx,
          rows.map(({ id }) => ({ type, id })),
        );
        obsolete += found.obsolete;
        missing += found.missing;
        return rows.at(-1)?.id ?? null;
      });
    }
  }
  return { obsolete, missing };
}
