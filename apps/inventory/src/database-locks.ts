import type { Tx } from '@switchboard/database';

/*
 * Advisory locks, and row locks that read nothing (docs/adr/0031). A statement that reads the rows that it locks stays with
 * the columns that it reads, and locks of the database's own functions and triggers stand in the migrations. After a lock
 * was waited for, read again: the next query of a transaction sees what was committed meanwhile.
 */

/** Keys of advisory locks. No other lock of this service uses these keys. */
const advisoryLockKeys = { customFieldValues: 105_001, demoData: 727_072_010 } as const;

/**
 * Numbers of the kinds of advisory locks on parents of allocated objects (docs/contract/inventory.md 2.1). The database
 * takes the locks for allocations of addresses and prefixes.
 */
export const allocationLockKinds = { vlans: 100_300, asns: 100_400 } as const;

/** Acquires the lock that serializes allocations of objects from one parent, such as VLANs from a VLAN group. */
export async function lockAllocations(tx: Tx, kind: number, parentId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [`parent ${parentId}`, kind]);
}

/**
 * Acquires the lock that serializes writers of a unique custom field of a model. No unique index covers custom fields.
 */
export async function lockCustomFieldValues(tx: Tx, model: string, field: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(${advisoryLockKeys.customFieldValues}, hashtext($1))`, [
    `${model}.${field}`,
  ]);
}

/** Acquires the lock that serializes processes that create the demo data. */
export async function lockDemoData(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLockKeys.demoData]);
}

/**
 * Locks the tree of module bays for a transaction that gives existing bays another parent. The trigger
 * `place_tree_node` takes the same lock in shared mode for new bays. A transaction that also moves bays must therefore
 * take the exclusive lock first.
 */
export async function lockModuleBayTree(tx: Tx): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(105000, 'dcim_modulebay'::regclass::oid::integer)`);
}

/** Locks devices, so that transactions that change their components run one after another. */
export async function lockDevices(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query('SELECT FROM dcim_device WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE', [ids]);
}

/** Locks a prefix against changes until the transaction ends. */
export async function lockPrefix(tx: Tx, id: unknown): Promise<void> {
  await tx.query('SELECT FROM ipam_prefix WHERE id = $1 FOR SHARE', [id]);
}

/**
 * Locks the row of a user whose password was verified, until the transaction ends. Returns false if the user was
 * deactivated, or the password was changed, since the verification.
 */
export async function lockVerifiedUser(tx: Tx, userId: number, passwordHash: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'SELECT 1 FROM users_user WHERE id = $1 AND password = $2 AND is_active FOR SHARE',
    [userId, passwordHash],
  );
  return rowCount > 0;
}

/**
 * Types of objects at the ends of cables, in the order in which they are locked. Cable paths pass through objects of
 * the last three types.
 */
const lockedCableEndTypes: readonly string[] = [
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
 * Locks objects at the ends of cables, so that transactions that change paths over these objects run one after another.
 * The objects are locked in the order of model and id.
 */
export async function lockPathObjects(
  tx: Tx,
  objects: readonly { readonly type: string; readonly id: number }[],
): Promise<void> {
  for (const type of lockedCableEndTypes) {
    const ids = objects.filter((object) => object.type === type).map(({ id }) => id);
    if (ids.length === 0) continue;
    await tx.query(
      `SELECT FROM ${type.replace('.', '_')} WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
      [ids],
    );
  }
}

/**
 * Locks objects like {@link lockPathObjects}, but releases the locks again if `isEnough` returns false. The caller then
 * locks a larger set of objects in one order, so that it never waits for a lock out of order.
 */
export async function tryLockPathObjects(
  tx: Tx,
  objects: readonly { readonly type: string; readonly id: number }[],
  isEnough: () => Promise<boolean>,
): Promise<boolean> {
  await tx.query('SAVEPOINT path_locks');
  await lockPathObjects(tx, objects);
  const done = await isEnough();
  if (!done) await tx.query('ROLLBACK TO SAVEPOINT path_locks');
  await tx.query('RELEASE SAVEPOINT path_locks');
  return done;
}

/**
 * Serializes transactions that trace the same endpoints again. Also serializes them with transactions that change the
 * cables and wireless links at these endpoints.
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
 * Serializes transactions that change a data source, its files or the state of its jobs. Returns false if the source
 * does not exist.
 */
export async function lockDataSource(tx: Tx, id: number): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM core_datasource WHERE id = $1 FOR NO KEY UPDATE', [id]);
  return rowCount > 0;
}

/**
 * Locks files of a data source before they are deleted, so that no other transaction adds references to them. Returns
 * the ids of the locked files.
 */
export async function lockDataFiles(tx: Tx, sourceId: number, paths: readonly string[]): Promise<readonly number[]> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM core_datafile WHERE source_id = $1 AND path = ANY ($2::text[]) ORDER BY id FOR UPDATE',
    [sourceId, paths],
  );
  return rows.map(({ id }) => id);
}
