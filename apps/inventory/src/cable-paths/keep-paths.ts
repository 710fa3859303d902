import type { Tx } from '@switchboard/database';
import type { DerivedData } from '../engine/declaration/derived-data.js';
import { errors } from '../errors.js';
import { lockCablesOf, lockPathObjects, tryPathLocks } from '../locks.js';
import { type Graph, keyOf, type ObjectKey } from './graph.js';
import { findReached, loadGraph } from './graph-store.js';
import { contentOf, loadPaths, replacePaths, type StoredPath } from './path-store.js';
import { type TracedPath, tracePath } from './tracer.js';

/** Cable paths that a transaction may change, and the objects that it has locked for this. */
interface ChangedPaths {
  readonly origins: Map<string, ObjectKey>;
  readonly locked: Set<string>;
  /** Objects from which the transaction has walked before the write. */
  readonly walked: Set<string>;
}

/** Maximum number of changed objects from which one statement follows links. */
const objectsAtOnce = 5_000;

/**
 * Maximum number of times that objects are locked and searched again, because a search after waiting for locks may find
 * new ones. After these rounds the paths are traced anyway.
 */
const mostRounds = 10;

/** Models whose writes are refused if they make a path that is not supported. */
const refusedTypes: readonly string[] = ['dcim.cable', 'dcim.frontport', 'dcim.rearport'];

const changedPaths = new WeakMap<Tx, ChangedPaths>();

/**
 * Keeps the stored paths equal to what a trace of all cables would find (docs/adr/0032). Before a write it collects the
 * endpoints whose paths lead over the objects that change, and after the write those whose paths do so now.
 */
export const cablePaths: DerivedData = {
  async before(tx, objects, named) {
    const paths = pathsOf(tx);
    const added = [...objects, ...named].filter((object) => !paths.walked.has(keyOf(object)));
    for (const object of added) paths.walked.add(keyOf(object));
    const ends = new Set(named.map(keyOf));
    await inSlices(added, (some) =>
      collect(
        tx,
        paths,
        some,
        some.filter((object) => ends.has(keyOf(object))),
      ),
    );
  },
  async after(tx, objects) {
    const paths = pathsOf(tx);
    await inSlices(objects, (some) => collect(tx, paths, some, []));
    const origins = [...paths.origins.values()];
    changedPaths.delete(tx);
    const refuses = objects.some(({ type }) => refusedTypes.includes(type));
    await inSlices(origins, async (some) => {
      const { missing } = await retrace(tx, paths, some);
      if (refuses && missing.some(({ isSupported }) => !isSupported)) throw notSupported();
    });
  },
};

/** Returns the error of the reference API for a path that leads to ports of several devices at one end of a cable. */
function notSupported(): Error {
  const message = 'All mid-span terminations must have the same parent object';
  return errors.create('VALIDATION_FAILED', { fields: { body: { __all__: [message] } } });
}

function noPaths(): ChangedPaths {
  return { origins: new Map(), locked: new Set(), walked: new Set() };
}

function pathsOf(tx: Tx): ChangedPaths {
  const paths = changedPaths.get(tx) ?? noPaths();
  changedPaths.set(tx, paths);
  return paths;
}

async function inSlices(objects: readonly ObjectKey[], run: (some: readonly ObjectKey[]) => Promise<void>) {
  for (let from = 0; from < objects.length; from += objectsAtOnce) {
    await run(objects.slice(from, from + objectsAtOnce));
  }
}

/**
 * Adds the endpoints whose paths lead over the given objects. Locks the ports and circuit terminations on these paths,
 * the ends of changed cables and the ends named in the request, all in one order. If it finds further objects after
 * waiting for the locks, it releases the locks and takes all of them again in order.
 */
async function collect(
  tx: Tx,
  { origins, locked, walked }: ChangedPaths,
  objects: readonly ObjectKey[],
  named: readonly ObjectKey[],
): Promise<void> {
  let reached = await findReached(tx, objects);
  const wanted = new Map<string, ObjectKey>();
  const want = (found: readonly ObjectKey[]): number => {
    const added = found.filter((object) => !locked.has(keyOf(object)) && !wanted.has(keyOf(object)));
    for (const object of added) wanted.set(keyOf(object), object);
    return added.length;
  };
  const isStable = async (): Promise<boolean> => {
    reached = await findReached(tx, objects);
    return want([...reached.cableEnds, ...reached.passThrough]) === 0;
  };
  want([...reached.cableEnds, ...reached.passThrough, ...named]);
  let isLocked = wanted.size === 0;
  for (let round = 1; round < mostRounds && !isLocked; round += 1) {
    isLocked = await tryPathLocks(tx, [...wanted.values()], isStable);
  }
  if (!isLocked) await lockPathObjects(tx, [...wanted.values()]);
  for (const key of wanted.keys()) locked.add(key);
  for (const object of reached.cableEnds) walked.add(keyOf(object));
  for (const origin of reached.origins) origins.set(keyOf(origin), origin);
}

/** Numbers of stored cable paths that differ from those that tracing all cables finds. */
export interface PathDifferences {
  /** Number of stored paths that tracing does not find. */
  readonly obsolete: number;
  /** Number of paths that tracing finds and that are not stored. */
  readonly missing: number;
}

/** Traces the cable paths from some endpoints and replaces stored paths that differ. Returns their numbers. */
export async function retraceOrigins(tx: Tx, origins: readonly ObjectKey[]): Promise<PathDifferences> {
  await lockCablesOf(tx, origins);
  const { obsolete, missing } = await retrace(tx, noPaths(), origins);
  return { obsolete: obsolete.length, missing: missing.length };
}

/**
 * Compares the stored cable paths from some endpoints with those that tracing finds, and returns the numbers of
 * differences.
 */
export async function comparePaths(tx: Tx, origins: readonly ObjectKey[]): Promise<PathDifferences> {
  const { graph } = await loadGraph(tx, origins);
  const { obsolete, missing } = await findDifferences(tx, graph, origins);
  return { obsolete: obsolete.length, missing: missing.length };
}

/** Stored cable paths that tracing does not find, and traced paths that are not stored. */
interface DifferingPaths {
  readonly obsolete: readonly StoredPath[];
  readonly missing: readonly TracedPath[];
}

/** Traces the cable paths from some endpoints and replaces stored paths that differ. */
async function retrace(tx: Tx, { locked }: ChangedPaths, origins: readonly ObjectKey[]): Promise<DifferingPaths> {
  let loaded = await loadGraph(tx, origins);
  for (let round = 0; round < mostRounds && (await lockNew(tx, locked, loaded.passThrough)); round += 1) {
    loaded = await loadGraph(tx, origins);
  }
  const differing = await findDifferences(tx, loaded.graph, origins);
  await replacePaths(tx, differing.obsolete, differing.missing);
  return differing;
}

async function findDifferences(tx: Tx, graph: Graph, origins: readonly ObjectKey[]): Promise<DifferingPaths> {
  const traced = traceAll(graph, origins);
  const wanted = new Map(traced.map((path) => [contentOf(path), path]));
  // A path begins at all endpoints of one end of a cable, also at those that are not among the origins.
  const begins = [...origins, ...traced.flatMap(({ steps }) => steps[0] ?? [])];
  const stored = await loadPaths(tx, [...new Map(begins.map((origin) => [keyOf(origin), origin])).values()]);
  const obsolete = stored.filter((path) => !wanted.delete(contentOf(path)));
  return { obsolete, missing: [...wanted.values()] };
}

/** Traces the cable paths from endpoints. Endpoints at the same end of a cable and the same connector share a path. */
function traceAll(graph: Graph, origins: readonly ObjectKey[]): TracedPath[] {
  const groups = new Map<string, readonly ObjectKey[]>();
  for (const origin of origins) {
    const end = graph.endOf(origin);
    const group = end === null ? keyOf(origin) : `${end.cable} ${end.side} ${end.connector ?? ''}`;
    if (groups.has(group)) continue;
    if (end === null) {
      groups.set(group, [origin]);
      continue;
    }
    const own = graph
      .cable(end.cable)
      ?.ends.filter(({ side, connector }) => side === end.side && connector === end.connector);
    groups.set(
      group,
      (own ?? [end]).map(({ type, id }) => ({ type, id })),
    );
  }
  return [...groups.values()].flatMap((group) => tracePath(graph, group) ?? []);
}

/**
 * Locks the given objects, except those that the transaction has locked already. Returns true if it locked any; the
 * caller must then read again.
 */
async function lockNew(tx: Tx, locked: Set<string>, objects: readonly ObjectKey[]): Promise<boolean> {
  const added = objects.filter((object) => !locked.has(keyOf(object)));
  if (added.length === 0) return false;
  await lockPathObjects(tx, added);
  for (const object of added) locked.add(keyOf(object));
  return true;
}
