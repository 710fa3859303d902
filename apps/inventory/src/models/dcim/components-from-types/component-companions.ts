import type { Tx } from '@switchboard/database';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { cablePathsAfterWriteHook } from '../../../cable-paths/index.js';
import {
  type CreatedCompanionObjectCounts,
  type CompanionObjectsDeclaration,
  temporaryCompanionObjectsTableName,
  type CompanionObjectsWrite,
  type NewObjectWithCompanions,
} from '../../../engine/declaration/companion-objects.js';
import type { ObjectChangedByWrite } from '../../../engine/declaration/derived-data-hook.js';
import type { SqlText } from '../../../engine/sql/json-text-sql.js';
import { lockModuleBayTree } from '../../../database-locks.js';
import { createPreparedQuery } from '../../../engine/sql/parameterized-statement.js';
import { inventoryErrors } from '../../../errors.js';
import { type ComponentKind, inventoryItemComponentKind } from './kinds-of-created-components.js';
import {
  type ComponentOwnerProperties,
  deviceComponentOwnerProperties,
  getModuleComponentOptions,
  moduleComponentOwnerProperties,
} from './owners-of-created-components.js';
import {
  createComponentAdoptionStatement,
  createBridgeAssignmentStatement,
  createTemplateCountStatement,
  createComponentInsertStatement,
  createInventoryItemInsertStatement,
  createPortMappingStatement,
} from './create-component-statements.js';

/**
 * Kind of component, id of a device type or module type, and the number of the type's component templates of that kind.
 */
type ComponentTemplateCount = readonly [kind: string, type: number, templates: number];

/**
 * SQL statements that create or assign one kind of component for new devices or modules. All statements have the same
 * parameters.
 */
interface ComponentKindStatements {
  readonly kind: ComponentKind;
  readonly insertion: SqlText;
  /**
   * SQL statement that assigns existing components of the device to the modules that adopt them. Null for new devices.
   */
  readonly adoption: SqlText | null;
}

/**
 * Returns the SQL statements for all kinds of components, in the order in which new devices or modules get the
 * components. For each kind, new components are created before existing components are adopted.
 */
function createComponentStatements(owners: ComponentOwnerProperties): readonly ComponentKindStatements[] {
  return owners.kinds.map((kind, index) => ({
    kind,
    insertion:
      kind === inventoryItemComponentKind
        ? createInventoryItemInsertStatement(owners, 2 * index)
        : createComponentInsertStatement(owners, kind, 2 * index),
    adoption: owners.adopts ? createComponentAdoptionStatement(owners, kind, 2 * index + 1) : null,
  }));
}

/** Returns the number of component templates by the id of the device type or module type. */
function countComponentTemplatesByType(counts: readonly ComponentTemplateCount[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const [, type, templates] of counts) sums.set(type, (sums.get(type) ?? 0) + templates);
  return sums;
}

/**
 * Returns the SQL statement that makes the triggers of tree tables skip their locks, or take the locks again. Trees of
 * new devices need no locks, because no other transaction sees them.
 */
const createSkipTreeLocksSql = (isOn: boolean): SqlText =>
  `SELECT set_config('inventory.creates_trees', '${isOn ? 'on' : 'off'}', true)`;

/**
 * Converts a database error to the error for two templates that create components with the same name. Returns null for
 * any other database error.
 */
function convertToNameConflictError(
  error: unknown,
  owners: ComponentOwnerProperties,
  kind: ComponentKind,
): Error | null {
  const fault = convertErrorToDatabaseFault(error);
  if (fault?.kind !== 'unique') return null;
  const key = /^Key \(device_id, (?:name\)=\(\d+|module_id, name\)=\(\d+, \d+), (?<name>.*)\) already exists\.$/su;
  const name = key.exec(fault.detail ?? '')?.groups?.['name'];
  if (name === undefined) return null;
  return inventoryErrors.create('REQUEST_ABORTED', { message: owners.conflict(kind, name), cause: error });
}

/** Creates the components of new devices or modules from the component templates of their types. */
class TemplateComponentCreator implements CompanionObjectsDeclaration {
  readonly #kinds: readonly ComponentKindStatements[];
  readonly #counting: SqlText;
  readonly #mapping: SqlText;
  readonly #bridging: SqlText;

  constructor(private readonly owners: ComponentOwnerProperties) {
    this.#kinds = createComponentStatements(owners);
    this.#counting = createTemplateCountStatement(owners);
    this.#mapping = createPortMappingStatement(owners);
    this.#bridging = createBridgeAssignmentStatement(owners);
  }

  async count(tx: Tx, given: readonly NewObjectWithCompanions[]): Promise<CreatedCompanionObjectCounts> {
    const { typeColumn, adopts, kinds } = this.owners;
    const options = given.map(({ sent }) =>
      adopts ? getModuleComponentOptions(sent) : { replicates: true, adopts: false },
    );
    const typesOfOwners = given.flatMap(({ columns }, index) =>
      options[index]?.replicates === true || options[index]?.adopts === true ? [Number(columns[typeColumn])] : [],
    );
    const { rows } = await tx.query<ComponentTemplateCount>(
      createPreparedQuery(this.#counting, [[...new Set(typesOfOwners)]]),
    );
    const components = rows.filter(([kind]) => kind !== 'bridges');
    const sums = countComponentTemplatesByType(components);
    const found = new Set(components.map(([kind]) => kind));
    return {
      types: new Set(kinds.flatMap(({ type }) => (found.has(type) ? [type] : []))),
      total: typesOfOwners.reduce((sum, type) => sum + (sums.get(type) ?? 0), 0),
      adopts: options.some((option) => option.adopts),
      most: Math.max(0, ...sums.values()),
      maxConnected: Math.max(0, ...countComponentTemplatesByType(rows.filter(([kind]) => kind === 'bridges')).values()),
    };
  }

  async insert(tx: Tx, write: CompanionObjectsWrite): Promise<void> {
    const { types, adopts } = write.counts;
    // Other transactions see the bay that contains the module's bays, so the tree must be locked for modules.
    const createsWholeTrees = this.owners.module === null;
    if (createsWholeTrees) await tx.query(createSkipTreeLocksSql(true));
    // Adopting bays takes an exclusive lock on their tree, creating bays a shared one. The exclusive lock must come first,
    // also before bays that an earlier slice of the request creates.
    if (adopts && types.has('dcim.modulebay')) await lockModuleBayTree(tx);
    for (const { kind, insertion, adoption } of this.#kinds) {
      if (!types.has(kind.type)) continue;
      if (adopts && adoption !== null) await this.#runStatement(tx, adoption, write, kind);
      await this.#runStatement(tx, insertion, write, kind);
    }
    if (createsWholeTrees) await tx.query(createSkipTreeLocksSql(false));
    if (types.has('dcim.frontport')) await this.#map(tx, write);
    if (createsWholeTrees && types.has('dcim.modulebay')) await rejectEqualModuleBayNames(tx, write.owners);
  }

  async connect(tx: Tx, write: CompanionObjectsWrite): Promise<void> {
    await this.#runStatement(tx, this.#bridging, write);
  }

  /**
   * Connects front ports with rear ports according to the templates of the ports. A port that a module adopts can have
   * a cable. Therefore cable paths can lead through the new connections, and are updated.
   */
  async #map(tx: Tx, write: CompanionObjectsWrite): Promise<void> {
    const adopted = write.counts.adopts ? await listPortsToAdopt(tx) : [];
    if (adopted.length > 0) await cablePathsAfterWriteHook.before(tx, adopted, []);
    await this.#runStatement(tx, this.#mapping, write);
    if (adopted.length > 0) await cablePathsAfterWriteHook.after(tx, adopted);
  }

  async #runStatement(tx: Tx, statement: SqlText, write: CompanionObjectsWrite, kind?: ComponentKind): Promise<void> {
    const customFields = kind === undefined ? '{}' : write.customFields(kind.type);
    try {
      await tx.query(createPreparedQuery(statement, [write.owners, customFields, ...this.owners.parameters(write)]));
    } catch (error) {
      throw (kind === undefined ? null : convertToNameConflictError(error, this.owners, kind)) ?? error;
    }
  }
}

/** Returns the front ports and rear ports of devices that new modules adopt. */
async function listPortsToAdopt(tx: Tx): Promise<ObjectChangedByWrite[]> {
  const { rows } = await tx.query<{ type: string; id: number }>(
    `SELECT type, id FROM ${temporaryCompanionObjectsTableName} WHERE change = 'adopted' AND type IN ('dcim.frontport', 'dcim.rearport')`,
  );
  return rows;
}

/** Rejects a device that has two module bays with the same name, because no database constraint rejects such bays. */
async function rejectEqualModuleBayNames(tx: Tx, devices: readonly number[]): Promise<void> {
  const { rows } = await tx.query<{ name: string }>(
    `SELECT name FROM dcim_modulebay WHERE device_id = ANY ($1::bigint[]) GROUP BY device_id, name HAVING count(*) > 1 LIMIT 1`,
    [devices],
  );
  const [bay] = rows;
  if (bay === undefined) return;
  throw inventoryErrors.create('REQUEST_ABORTED', {
    message: `Component name conflict after resolving {vc_position}: ${bay.name}`,
  });
}

/** Creates the components of new devices from the component templates of their device types. */
export const deviceComponentCreator: CompanionObjectsDeclaration = new TemplateComponentCreator(
  deviceComponentOwnerProperties,
);

/**
 * Creates the components of new modules from the component templates of their module types, or assigns existing
 * components to the modules.
 */
export const moduleComponentCreator: CompanionObjectsDeclaration = new TemplateComponentCreator(
  moduleComponentOwnerProperties,
);
