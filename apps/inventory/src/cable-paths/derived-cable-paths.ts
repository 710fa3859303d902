import type { Tx } from '@switchboard/database';
import type { DerivedDataUpdater } from '../engine/declaration/derived-data-hook.js';
import { forceIndexReads } from '../engine/write/force-index-reads.js';
import { inventoryErrors } from '../errors.js';
import { lockCableEndObjects, tryLockCableEndObjects } from '../database-locks.js';
import { formatObjectTypeAndId, type ObjectTypeAndId } from './cable-graph.js';
import { findObjectsAffectedByChange } from './load-cable-graph.js';
import { replaceDifferingCablePaths } from './retrace-cable-paths.js';

/** Cable paths that a transaction may change, and the objects that the transaction has locked before the change. */
interface ChangedCablePaths {
  readonly origins: Map<string, ObjectTypeAndId>;
  readonly locked: Set<string>;
  /** Keys of the objects that the search for affected cable paths has already visited before the write. */
  readonly walked: Set<string>;
}

/**
 * Maximum number of rounds of locking and searching. A search after waiting for locks may find further objects. After
 * the last round the paths are traced anyway.
 */
const maxLockAndSearchRounds = 10;

/** Names of the models whose writes are rejected if the write would create an unsupported cable path. */
const typesRejectingUnsupportedPaths: readonly string[] = ['dcim.cable', 'dcim.frontport', 'dcim.rearport'];

const changedPathsByTransaction = new WeakMap<Tx, ChangedCablePaths>();

/**
 * Updates the stored cable paths after each write, so that the stored paths equal the result of tracing all cables
 * (docs/adr/0032). Before the write, the hook collects the endpoints whose paths contain the changed objects. After the
 * write, the hook adds the endpoints whose paths now contain the changed objects.
 */
export const cablePathsAfterWriteHook: DerivedDataUpdater = {
  async before(tx, objects, named) {
    const paths = await getChangedPaths(tx, objects.length + named.length);
    const added = [...objects, ...named].filter((object) => !paths.walked.has(formatObjectTypeAndId(object)));
    for (const object of added) paths.walked.add(formatObjectTypeAndId(object));
    const ends = new Set(named.map(formatObjectTypeAndId));
    await collectAffectedPathEndpoints(
      tx,
      paths,
      added,
      added.filter((object) => ends.has(formatObjectTypeAndId(object))),
    );
  },
  async after(tx, objects) {
    const paths = await getChangedPaths(tx, objects.length);
    await collectAffectedPathEndpoints(tx, paths, objects, []);
    const origins = [...paths.origins.values()];
    changedPathsByTransaction.delete(tx);
    const refuses = objects.some(({ type }) => typesRejectingUnsupportedPaths.includes(type));
    const { isSupported } = await replaceDifferingCablePaths(tx, paths.locked, origins);
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
async function getChangedPaths(tx: Tx, objects: number): Promise<ChangedCablePaths> {
  const known = changedPathsByTransaction.get(tx);
  if (known !== undefined) return known;
  const paths: ChangedCablePaths = { origins: new Map(), locked: new Set(), walked: new Set() };
  changedPathsByTransaction.set(tx, paths);
  await forceIndexReads(tx, objects);
  return paths;
}

/**
 * Adds the endpoints whose cable paths contain the given objects. Locks the ports and circuit terminations on the
 * paths, the ends of changed cables, and the ends named in the request, all in one order. If further objects are found
 * after the locks were acquired, releases all locks and acquires the locks again in order.
 */
async function collectAffectedPathEndpoints(
  tx: Tx,
  { origins, locked, walked }: ChangedCablePaths,
  objects: readonly ObjectTypeAndId[],
  named: readonly ObjectTypeAndId[],
): Promise<void> {
  if (objects.length === 0) return;
  let reached = await findObjectsAffectedByChange(tx, objects);
  const wanted = new Map<string, ObjectTypeAndId>();
  const want = (found: readonly ObjectTypeAndId[]): number => {
    const added = found.filter(
      (object) => !locked.has(formatObjectTypeAndId(object)) && !wanted.has(formatObjectTypeAndId(object)),
    );
    for (const object of added) wanted.set(formatObjectTypeAndId(object), object);
    return added.length;
  };
  const isStable = async (): Promise<boolean> => {
    reached = await findObjectsAffectedByChange(tx, objects);
    return want([...reached.cableEnds, ...reached.passThrough]) === 0;
  };
  want([...reached.cableEnds, ...reached.passThrough, ...named]);
  let isLocked = wanted.size === 0;
  for (let round = 1; round < maxLockAndSearchRounds && !isLocked; round += 1) {
    isLocked = await tryLockCableEndObjects(tx, [...wanted.values()], isStable);
  }
  if (!isLocked) await lockCableEndObjects(tx, [...wanted.values()]);
  for (const key of wanted.keys()) locked.add(key);
  for (const object of reached.cableEnds) walked.add(formatObjectTypeAndId(object));
  for (const origin of reached.origins) origins.set(formatObjectTypeAndId(origin), origin);
}
