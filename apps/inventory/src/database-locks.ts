import type { Tx } from '@switchboard/database';

/*
 * Advisory locks, and row locks that read nothing (docs/adr/0031). A statement that reads the rows that it locks stays with
 * the columns that it reads, and locks of the database's own functions and triggers stand in the migrations. After a lock
 * was waited for, read again: the next query of a transaction sees what was committed meanwhile.
 */

/** Keys of PostgreSQL advisory locks. Other locks of the service use different keys. */
const postgresAdvisoryLockKeys = { customFieldValues: 105_001, demoData: 727_072_010 } as const;

/**
 * Numbers of the kinds of advisory locks on parents of allocated objects (docs/contract/inventory.md 2.1). Database
 * functions acquire the locks for allocations of addresses and prefixes.
 */
export const allocationLockKindNumbers = { vlans: 100_300, asns: 100_400 } as const;

/**
 * Acquires the advisory lock that serializes allocations of objects from one parent, such as VLANs from a VLAN group.
 */
export async function lockAllocationsFromParent(tx: Tx, kind: number, parentId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [`parent ${parentId}`, kind]);
}

/** Maximum number of values of unique custom fields that a transaction locks one by one. */
const maxValuesLockedSingly = 1_000;

/**
 * Locks values of unique custom fields, so that transactions that write the same value run one after another. The locks
 * are needed because no unique index covers custom fields. More than 1,000 values, in all fields together, lock the whole
 * fields, because so many locks do not fit into the server's lock table (docs/adr/0027).
 *
 * @param valuesByField the values as JSON texts, by the name of the field
 */
export async function lockUniqueCustomFieldValues(
  tx: Tx,
  model: string,
  valuesByField: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const count = [...valuesByField.values()].reduce((sum, values) => sum + values.length, 0);
  const locksFields = count > maxValuesLockedSingly;
  const lockField = locksFields ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  // All transactions lock the fields in the order of their names, which does not depend on the order of display.
  for (const field of [...valuesByField.keys()].toSorted()) {
    const name = `${model}.${field}`;
    await tx.query(`SELECT ${lockField}(${postgresAdvisoryLockKeys.customFieldValues}, hashtext($1))`, [name]);
    if (locksFields) continue;
    // Values that are equal as jsonb have the same hash. All transactions lock in the order of the hashes.
    await tx.query(
      `SELECT pg_advisory_xact_lock(key) FROM (
          SELECT DISTINCT jsonb_hash_extended(value, hashtextextended($1, ${postgresAdvisoryLockKeys.customFieldValues})) AS key
            FROM unnest($2::jsonb[]) AS value ORDER BY key) AS keys`,
      [name, valuesByField.get(field) ?? []],
    );
  }
}

/** Acquires the advisory lock that serializes processes that create the demo data. */
export async function lockDemoData(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [postgresAdvisoryLockKeys.demoData]);
}

/**
 * Locks the tree of module bays for a transaction that moves existing bays to another parent. The trigger
 * `place_tree_node` acquires this lock in shared mode for new bays. A transaction that adds and moves bays must
 * therefore first acquire the exclusive lock.
 */
export async function lockModuleBayTree(tx: Tx): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(105000, 'dcim_modulebay'::regclass::oid::integer)`);
}

/** Locks the rows of devices, so that transactions that change components of the devices run one after another. */
export async function lockDevices(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query('SELECT FROM dcim_device WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE', [ids]);
}

/** Locks the row of an IP prefix against changes until the transaction ends. */
export async function lockIpPrefix(tx: Tx, id: unknown): Promise<void> {
  await tx.query('SELECT FROM ipam_prefix WHERE id = $1 FOR SHARE', [id]);
}

/**
 * Locks the row of a user whose password was verified, until the transaction ends. Returns false if, since the
 * verification, the user was deactivated or the password was changed.
 */
export async function lockUserWithVerifiedPassword(tx: Tx, userId: number, passwordHash: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'SELECT 1 FROM users_user WHERE id = $1 AND password = $2 AND is_active FOR SHARE',
    [userId, passwordHash],
  );
  return rowCount > 0;
}

/**
 * Models of the objects at the ends of cables, in the order of locking. Cable paths lead through objects of the last
 * three models.
 */
const cableEndModelLockOrder: readonly string[] = [
  'dcim.consoleport',
  'dcim.consoleserverport',
  'dcim.interface',
  'dcim.powerfeed',
  'dcim.poweroutlet',
  'dcim.powerport',
  'circuits.circuittermination',
  'dcim.frontport',
  'dcim.rearport',
];

/**
 * Locks objects at the ends of cables. Transactions that change cable paths through the objects then run one after
 * another. The objects are locked in the order of model and id.
 */
export async function lockCableEndObjects(
  tx: Tx,
  objects: readonly { readonly type: string; readonly id: number }[],
): Promise<void> {
  for (const type of cableEndModelLockOrder) {
    const ids = objects.filter((object) => object.type === type).map(({ id }) => id);
    if (ids.length === 0) continue;
    await tx.query(
      `SELECT FROM ${type.replace('.', '_')} WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
      [ids],
    );
  }
}

/**
 * Locks objects like {@link lockCableEndObjects}, but releases the locks again if `isEnough` returns false. The caller then
 * locks a larger set of objects in one order, so that the transaction never waits for a lock out of order. Returns the
 * result of `isEnough`.
 */
export async function tryLockCableEndObjects(
  tx: Tx,
  objects: readonly { readonly type: string; readonly id: number }[],
  isEnough: () => Promise<boolean>,
): Promise<boolean> {
  await tx.query('SAVEPOINT path_locks');
  await lockCableEndObjects(tx, objects);
  const done = await isEnough();
  if (!done) await tx.query('ROLLBACK TO SAVEPOINT path_locks');
  await tx.query('RELEASE SAVEPOINT path_locks');
  return done;
}

/**
 * Locks the cables and wireless links of the given endpoints. Transactions that trace paths from these endpoints, or
 * change the cables and links, then run one after another.
 */
export async function lockLinksOfEndpoints(
  tx: Tx,
  objects: readonly { readonly type: string; readonly id: number }[],
): Promise<void> {
  const columns = [objects.map(({ type }) => type), objects.map(({ id }) => id)];
  await tx.query(
    `SELECT FROM dcim_cable WHERE id IN (
        SELECT e.cable_id FROM unnest($1::text[], $2::bigint[]) AS o (type, id)
          JOIN dcim_cabletermination e ON e.termination_type = o.type AND e.termination_id = o.id)
      ORDER BY id FOR NO KEY UPDATE`,
    columns,
  );
  await tx.query(
    `SELECT FROM wireless_wirelesslink WHERE id IN (
        SELECT i.wireless_link_id FROM unnest($1::text[], $2::bigint[]) AS o (type, id)
          JOIN dcim_interface i ON i.id = o.id WHERE o.type = 'dcim.interface')
      ORDER BY id FOR NO KEY UPDATE`,
    columns,
  );
}

/**
 * Locks the row of a data source. Transactions that change the data source, its files or the state of its jobs then run
 * one after another. Returns false if the data source does not exist.
 */
export async function lockDataSource(tx: Tx, id: number): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM core_datasource WHERE id = $1 FOR NO KEY UPDATE', [id]);
  return rowCount > 0;
}

/**
 * Locks files of a data source before the files are deleted. Other transactions then cannot add references to the
 * files. Returns the ids of the locked files.
 */
export async function lockDataFiles(tx: Tx, sourceId: number, paths: readonly string[]): Promise<readonly number[]> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM core_datafile WHERE source_id = $1 AND path = ANY ($2::text[]) ORDER BY id FOR UPDATE',
    [sourceId, paths],
  );
  return rows.map(({ id }) => id);
}
