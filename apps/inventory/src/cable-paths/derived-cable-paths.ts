import type { Tx } from '@switchboard/database';
import type { DerivedDataUpdater } from '../engine/declaration/derived-data-hook.js';
import { readThroughIndexes } from '../engine/write/read-through-indexes.js';
import { inventoryErrors } from '../errors.js';
import { lockPathObjects, tryLockPathObjects } from '../database-locks.js';
import { formatObjectKey, type GraphObjectKey } from './cable-graph.js';
import { findReachedObjects } from './load-cable-graph.js';
import { replaceDifferingPaths } from './retrace-cable-paths.js';

/** Cable paths that a transaction may change, and the objects that the transaction has locked before the change. */
interface ChangedPaths {
  readonly origins: Map<string, GraphObjectKey>;
  readonly locked: Set<string>;
  /** Keys of the objects that the search for affected cable paths has already visited before the write. */
  readonly walked: Set<string>;
}

/**
 * Maximum number of rounds of locking and searching. A search after waiting for locks may find further objects. After
 * the last round the paths are traced anyway.
 */
const maxLockRounds = 10;

/** Names of the models whose writes are rejected if the write would create an unsupported cable path. */
const typesRejectingUnsupportedPaths: readonly string[] = ['dcim.cable', 'dcim.frontport', 'dcim.rearport'];

const changedPathsByTransaction = new WeakMap<Tx, ChangedPaths>();

/**
 * Updates the stored cable paths after each write, so that the stored paths equal the result of tracing all cables
 * (docs/adr/0032). Before the write, the hook collects the endpoints whose paths contain the changed objects. After the
 * write, the hook adds the endpoints whose paths now contain the changed objects.
 */
export const cablePathsHook: DerivedDataUpdater = {
  async before(tx, objects, named) {
    const paths = await getChangedPaths(tx, objects.length + named.length);
    const added = [...objects, ...named].filter((object) => !paths.walked.has(formatObjectKey(object)));
    for (const object of added) paths.walked.add(formatObjectKey(object));
    const ends = new Set(named.map(formatObjectKey));
    await collectAffectedPaths(
      tx,
      paths,
      added,
      added.filter((object) => ends.has(formatObjectKey(object))),
    );
  },
  async after(tx, objects) {
    const paths = await getChangedPaths(tx, objects.length);
    await collectAffectedPaths(tx, paths, objects, []);
    const origins = [...paths.origins.values()];
    changedPathsByTransaction.delete(tx);
    const refuses = objects.some(({ type }) => typesRejectingUnsupportedPaths.includes(type));
    const { isSupported } = await replaceDifferingPaths(tx, paths.locked, origins);
    if (refuses && !isSupported) throw createUnsupportedPathError();
  },
};

/**
 * Returns the error for a cable path that leads to ports of several devices at one end of a cable. The message equals
 * the message of the reference API (NetBox).
 */
function createUnsupportedPathError(): Error {
  const message = 'All mid-span terminations must have the same parent object';
  return inventoryErrors.create('VALIDATION_FAILED', { fields: { body: { __all__: [message] } } });
}

/**
 * Returns the cable paths that a transaction may change. The first call in a transaction also sets the transaction's
 * query planner options.
 */
async function getChangedPaths(tx: Tx, objects: number): Promise<ChangedPaths> {
  const known = changedPathsByTransaction.get(tx);
  if (known !== undefined) return known;
  const paths: ChangedPaths = { origins: new Map(), locked: new Set(), walked: new Set() };
  changedPathsByTransaction.set(tx, paths);
  await readThroughIndexes(tx, objects);
  return paths;
}

/**
 * Adds the endpoints whose cable paths contain the given objects. Locks the ports and circuit terminations on the
 * paths, the ends of changed cables, and the ends named in the request, all in one order. If further objects are found
 * after the locks were acquired, releases all locks and acquires the locks again in order.
 */
async function collectAffectedPaths(
  tx: Tx,
  { origins, locked, walked }: ChangedPaths,
  objects: readonly GraphObjectKey[],
  named: readonly GraphObjectKey[],
): Promise<void> {
  if (objects.length === 0) return;
  let reached = await findReachedObjects(tx, objects);
  const wanted = new Map<string, GraphObjectKey>();
  const want = (found: readonly GraphObjectKey[]): number => {
    const added = found.filter(
      (object) => !locked.has(formatObjectKey(object)) && !wanted.has(formatObjectKey(object)),
    );
    for (const object of added) wanted.set(formatObjectKey(object), object);
    return added.length;
  };
  const isStable = async (): Promise<boolean> => {
    reached = await findReachedObjects(tx, objects);
    return want([...reached.cableEnds, ...reached.passThrough]) === 0;
  };
  want([...reached.cableEnds, ...reached.passThrough, ...named]);
  let isLocked = wanted.size === 0;
  for (let round = 1; round < maxLockRounds && !isLocked; round += 1) {
    isLocked = await tryLockPathObjects(tx, [...wanted.values()], isStable);
  }
  if (!isLocked) await lockPathObjects(tx, [...wanted.values()]);
  for (const key of wanted.keys()) locked.add(key);
  for (const object of reached.cableEnds) walked.add(formatObjectKey(object));
  for (const origin of reached.origins) origins.set(formatObjectKey(origin), origin);
}
