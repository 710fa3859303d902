import { setImmediate as nextRound } from 'node:timers/promises';
import type { Tx } from '@switchboard/database';
import { readThroughIndexes } from '../engine/write/read-through-indexes.js';
import { lockLinksOfEndpoints, lockPathObjects } from '../database-locks.js';
import { type CableGraph, formatObjectKey, type GraphObjectKey } from './cable-graph.js';
import { loadCableGraph, splitIntoStatementChunks } from './load-cable-graph.js';
import { createPathContentKey, loadStoredPaths, replacePaths, type StoredPath } from './cable-path-store.js';
import { type TracedPath, tracePath } from './cable-path-tracer.js';

/**
 * Maximum number of times that objects are locked and paths are traced again, because a trace after waiting for locks
 * may find new objects. After these rounds the paths are stored anyway.
 */
const maxLockAndTraceRounds = 10;

/** Number of endpoints whose paths are traced before the event loop serves other requests. */
const originsPerChunk = 500;

/**
 * Maximum number of endpoints whose traced paths stay in memory while their objects are locked. With more endpoints,
 * the paths are traced again after locking.
 */
const maxOriginsInMemory = 5_000;

/** Numbers of differences between stored cable paths and the paths found by tracing all cables. */
export interface CablePathDifferences {
  /** Number of stored paths that tracing does not find. */
  readonly obsolete: number;
  /** Number of paths that tracing finds and that are not stored. */
  readonly missing: number;
}

/** Result of tracing cable paths again. */
export interface RetraceResult extends CablePathDifferences {
  /** False if a new path is not supported; see {@link TracedPath.isSupported}. */
  readonly isSupported: boolean;
}

/** Traces the cable paths from some endpoints and replaces stored paths that differ. Returns their numbers. */
export async function replacePathsFromOrigins(
  tx: Tx,
  origins: readonly GraphObjectKey[],
): Promise<CablePathDifferences> {
  await readThroughIndexes(tx, origins.length);
  await lockLinksOfEndpoints(tx, origins);
  const { obsolete, missing } = await replaceDifferingPaths(tx, new Set(), origins);
  return { obsolete, missing };
}

/** Compares the stored cable paths from some endpoints with traced paths, and returns the numbers of differences. */
export async function comparePaths(tx: Tx, origins: readonly GraphObjectKey[]): Promise<CablePathDifferences> {
  await readThroughIndexes(tx, origins.length);
  const { paths } = await traceOrigins(tx, origins);
  const { obsolete, missing } = await findPathDifferences(tx, paths, origins);
  return { obsolete: obsolete.length, missing: missing.length };
}

/**
 * Traces the cable paths from some endpoints and replaces stored paths that differ. Before it writes, it locks the ports
 * and circuit terminations on all paths, except those in `locked`.
 */
export async function replaceDifferingPaths(
  tx: Tx,
  locked: Set<string>,
  origins: readonly GraphObjectKey[],
): Promise<RetraceResult> {
  const slices = [...splitIntoStatementChunks(origins, originsPerChunk)];
  const traced = await lockObjectsOnPaths(tx, locked, slices);
  const total = { obsolete: 0, missing: 0, isSupported: true };
  for (const [index, slice] of slices.entries()) {
    const paths = traced[index] ?? (await traceOrigins(tx, slice)).paths;
    const { obsolete, missing } = await findPathDifferences(tx, paths, slice);
    await replacePaths(tx, obsolete, missing);
    total.obsolete += obsolete.length;
    total.missing += missing.length;
    total.isSupported &&= missing.every(({ isSupported }) => isSupported);
    if (slices.length > 1) await nextRound();
  }
  return total;
}

/**
 * Locks the ports and circuit terminations on the paths from some endpoints, all in one order. Returns the paths of
 * each chunk of endpoints, or no paths if there are many.
 */
async function lockObjectsOnPaths(
  tx: Tx,
  locked: Set<string>,
  slices: readonly (readonly GraphObjectKey[])[],
): Promise<readonly (readonly TracedPath[])[]> {
  const isKept = slices.length * originsPerChunk <= maxOriginsInMemory;
  for (let round = 0; ; round += 1) {
    const added = new Map<string, GraphObjectKey>();
    const paths: (readonly TracedPath[])[] = [];
    for (const slice of slices) {
      const traced = await traceOrigins(tx, slice);
      if (isKept) paths.push(traced.paths);
      for (const object of traced.passThrough) {
        if (!locked.has(formatObjectKey(object))) added.set(formatObjectKey(object), object);
      }
      if (slices.length > 1) await nextRound();
    }
    if (added.size === 0 || round === maxLockAndTraceRounds) return paths;
    await lockPathObjects(tx, [...added.values()]);
    for (const key of added.keys()) locked.add(key);
  }
}

/** Cable paths, and the ports and circuit terminations that they can lead over. */
interface TracedCablePaths {
  readonly paths: readonly TracedPath[];
  readonly passThrough: readonly GraphObjectKey[];
}

/**
 * Traces the cable paths from some endpoints. Paths that need all positions of ports are traced a second time, in a
 * graph with all positions.
 */
async function traceOrigins(tx: Tx, origins: readonly GraphObjectKey[]): Promise<TracedCablePaths> {
  const narrow = await loadCableGraph(tx, origins, 'narrow');
  const traced = traceOriginsInGraph(narrow.graph, origins);
  const begins = traced.flatMap(({ needsAllPositions, steps: [begin = []] }) => (needsAllPositions ? begin : []));
  if (begins.length === 0) return { paths: traced, passThrough: narrow.passThrough };
  const whole = await loadCableGraph(tx, begins, 'whole');
  return {
    paths: [
      ...traced.filter(({ needsAllPositions }) => !needsAllPositions),
      ...traceOriginsInGraph(whole.graph, begins),
    ],
    passThrough: [...narrow.passThrough, ...whole.passThrough],
  };
}

/** Stored cable paths that tracing does not find, and traced paths that are not stored. */
interface DifferingCablePaths {
  readonly obsolete: readonly StoredPath[];
  readonly missing: readonly TracedPath[];
}

async function findPathDifferences(
  tx: Tx,
  traced: readonly TracedPath[],
  origins: readonly GraphObjectKey[],
): Promise<DifferingCablePaths> {
  const wanted = new Map(traced.map((path) => [createPathContentKey(path), path]));
  // A path begins at all endpoints of one end of a cable, also at those that are not among the origins.
  const begins = [...origins, ...traced.flatMap(({ steps }) => steps[0] ?? [])];
  const stored = await loadStoredPaths(tx, [
    ...new Map(begins.map((origin) => [formatObjectKey(origin), origin])).values(),
  ]);
  const obsolete = stored.filter((path) => !wanted.delete(createPathContentKey(path)));
  return { obsolete, missing: [...wanted.values()] };
}

/** Traces the cable paths from endpoints. Endpoints at the same end of a cable and the same connector share a path. */
function traceOriginsInGraph(graph: CableGraph, origins: readonly GraphObjectKey[]): TracedPath[] {
  const groups = new Map<string, readonly GraphObjectKey[]>();
  for (const origin of origins) {
    const end = graph.findCableEnd(origin);
    const group = end === null ? formatObjectKey(origin) : `${end.cable} ${end.side} ${end.connector ?? ''}`;
    if (groups.has(group)) continue;
    if (end === null) {
      groups.set(group, [origin]);
      continue;
    }
    const own = graph
      .findCable(end.cable)
      ?.ends.filter(({ side, connector }) => side === end.side && connector === end.connector);
    groups.set(
      group,
      (own ?? [end]).map(({ type, id }) => ({ type, id })),
    );
  }
  return [...groups.values()].flatMap((group) => tracePath(graph, group) ?? []);
}
