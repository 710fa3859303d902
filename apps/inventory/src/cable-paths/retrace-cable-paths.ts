import { setImmediate as nextRound } from 'node:timers/promises';
import type { Tx } from '@switchboard/database';
import { forceIndexReads } from '../engine/write/force-index-reads.js';
import { lockLinksOfEndpoints, lockCableEndObjects } from '../database-locks.js';
import { type CableGraph, formatObjectTypeAndId, type ObjectTypeAndId } from './cable-graph.js';
import { loadCableGraph, splitObjectsIntoChunks } from './load-cable-graph.js';
import {
  createCablePathComparisonKey,
  loadStoredCablePaths,
  replaceStoredCablePaths,
  type StoredCablePath,
} from './cable-path-store.js';
import { type TracedCablePath, traceCablePath } from './cable-path-tracer.js';

/**
 * Maximum number of rounds of locking objects and tracing cable paths again. A trace after waiting for locks may find
 * new objects. After the last round, the paths are stored anyway.
 */
const maxLockAndTraceRounds = 10;

/** Number of endpoints whose cable paths are traced before the event loop serves other requests. */
const pathOriginsPerChunk = 500;

/**
 * Maximum number of endpoints whose traced cable paths remain in memory while the objects on the paths are locked. With
 * more endpoints, the paths are traced again after locking.
 */
const maxPathOriginsInMemory = 5_000;

/** Numbers of differences between stored cable paths and the paths found by tracing all cables. */
export interface CablePathDifferences {
  /** Number of stored cable paths that tracing does not find. */
  readonly obsolete: number;
  /** Number of cable paths that tracing finds and that are not stored. */
  readonly missing: number;
}

/** Result of tracing cable paths again. */
export interface RetraceResult extends CablePathDifferences {
  /** False if tracing found a new cable path that is not supported; see {@link TracedCablePath.isSupported}. */
  readonly isSupported: boolean;
}

/**
 * Traces the cable paths from the given endpoints and replaces stored paths that differ. Returns the numbers of
 * differences.
 */
export async function replacePathsFromOrigins(
  tx: Tx,
  origins: readonly ObjectTypeAndId[],
): Promise<CablePathDifferences> {
  await forceIndexReads(tx, origins.length);
  await lockLinksOfEndpoints(tx, origins);
  const { obsolete, missing } = await replaceDifferingCablePaths(tx, new Set(), origins);
  return { obsolete, missing };
}

/**
 * Compares the stored cable paths from the given endpoints with traced paths, and returns the numbers of differences.
 */
export async function compareStoredAndTracedPaths(
  tx: Tx,
  origins: readonly ObjectTypeAndId[],
): Promise<CablePathDifferences> {
  await forceIndexReads(tx, origins.length);
  const { paths } = await traceCablePathsFromOrigins(tx, origins);
  const { obsolete, missing } = await findPathDifferences(tx, paths, origins);
  return { obsolete: obsolete.length, missing: missing.length };
}

/**
 * Traces the cable paths from the given endpoints and replaces stored paths that differ. Before the write, the function
 * locks the ports and circuit terminations on all paths, except objects in `locked`.
 */
export async function replaceDifferingCablePaths(
  tx: Tx,
  locked: Set<string>,
  origins: readonly ObjectTypeAndId[],
): Promise<RetraceResult> {
  const slices = [...splitObjectsIntoChunks(origins, pathOriginsPerChunk)];
  const traced = await lockObjectsOnPaths(tx, locked, slices);
  const total = { obsolete: 0, missing: 0, isSupported: true };
  for (const [index, slice] of slices.entries()) {
    const paths = traced[index] ?? (await traceCablePathsFromOrigins(tx, slice)).paths;
    const { obsolete, missing } = await findPathDifferences(tx, paths, slice);
    await replaceStoredCablePaths(tx, obsolete, missing);
    total.obsolete += obsolete.length;
    total.missing += missing.length;
    total.isSupported &&= missing.every(({ isSupported }) => isSupported);
    if (slices.length > 1) await nextRound();
  }
  return total;
}

/**
 * Locks the ports and circuit terminations on the cable paths from the given endpoints, all in one order. Returns the
 * traced paths of each chunk of endpoints. Returns no paths if there are more than {@link maxPathOriginsInMemory}
 * endpoints.
 */
async function lockObjectsOnPaths(
  tx: Tx,
  locked: Set<string>,
  slices: readonly (readonly ObjectTypeAndId[])[],
): Promise<readonly (readonly TracedCablePath[])[]> {
  const isKept = slices.length * pathOriginsPerChunk <= maxPathOriginsInMemory;
  for (let round = 0; ; round += 1) {
    const added = new Map<string, ObjectTypeAndId>();
    const paths: (readonly TracedCablePath[])[] = [];
    for (const slice of slices) {
      const traced = await traceCablePathsFromOrigins(tx, slice);
      if (isKept) paths.push(traced.paths);
      for (const object of traced.passThrough) {
        if (!locked.has(formatObjectTypeAndId(object))) added.set(formatObjectTypeAndId(object), object);
      }
      if (slices.length > 1) await nextRound();
    }
    if (added.size === 0 || round === maxLockAndTraceRounds) return paths;
    await lockCableEndObjects(tx, [...added.values()]);
    for (const key of added.keys()) locked.add(key);
  }
}

/** Traced cable paths, and the ports and circuit terminations that the paths can contain. */
interface TracedCablePaths {
  readonly paths: readonly TracedCablePath[];
  readonly passThrough: readonly ObjectTypeAndId[];
}

/**
 * Traces the cable paths from the given endpoints. Paths that need all port positions are traced a second time, in a
 * graph with all positions.
 */
async function traceCablePathsFromOrigins(tx: Tx, origins: readonly ObjectTypeAndId[]): Promise<TracedCablePaths> {
  const narrow = await loadCableGraph(tx, origins, 'narrow');
  const traced = tracePathsInCableGraph(narrow.graph, origins);
  const begins = traced.flatMap(({ needsAllPositions, steps: [begin = []] }) => (needsAllPositions ? begin : []));
  if (begins.length === 0) return { paths: traced, passThrough: narrow.passThrough };
  const whole = await loadCableGraph(tx, begins, 'whole');
  return {
    paths: [
      ...traced.filter(({ needsAllPositions }) => !needsAllPositions),
      ...tracePathsInCableGraph(whole.graph, begins),
    ],
    passThrough: [...narrow.passThrough, ...whole.passThrough],
  };
}

/** Stored cable paths that tracing does not find, and traced paths that are not stored. */
interface DifferingCablePaths {
  readonly obsolete: readonly StoredCablePath[];
  readonly missing: readonly TracedCablePath[];
}

async function findPathDifferences(
  tx: Tx,
  traced: readonly TracedCablePath[],
  origins: readonly ObjectTypeAndId[],
): Promise<DifferingCablePaths> {
  const wanted = new Map(traced.map((path) => [createCablePathComparisonKey(path), path]));
  // A path begins at all endpoints of one end of a cable, also at those that are not among the origins.
  const begins = [...origins, ...traced.flatMap(({ steps }) => steps[0] ?? [])];
  const stored = await loadStoredCablePaths(tx, [
    ...new Map(begins.map((origin) => [formatObjectTypeAndId(origin), origin])).values(),
  ]);
  const obsolete = stored.filter((path) => !wanted.delete(createCablePathComparisonKey(path)));
  return { obsolete, missing: [...wanted.values()] };
}

/**
 * Traces the cable paths from the given endpoints in a graph. Endpoints at one end of a cable with one common connector
 * share a path.
 */
function tracePathsInCableGraph(graph: CableGraph, origins: readonly ObjectTypeAndId[]): TracedCablePath[] {
  const groups = new Map<string, readonly ObjectTypeAndId[]>();
  for (const origin of origins) {
    const end = graph.findCableEnd(origin);
    const group = end === null ? formatObjectTypeAndId(origin) : `${end.cable} ${end.side} ${end.connector ?? ''}`;
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
  return [...groups.values()].flatMap((group) => traceCablePath(graph, group) ?? []);
}
