import type { Tx } from '@switchboard/database';
import {
  type CreatedCompanionObjectCounts,
  type CompanionObjectsDeclaration,
  type CompanionObjectsWrite,
  temporaryCompanionObjectsTableName,
  type NewObjectWithCompanions,
} from '../declaration/companion-objects.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import { objectRowAlias } from '../read/object-json-sql.js';
import type { SqlText } from '../sql/json-text-sql.js';
import { lockCustomFieldsWithDefault, getNewObjectCustomFields } from './custom-field-values.js';
import { forEachNumberRange, type TemporaryChangeTable } from './staged-changes.js';
import type { ObjectWriterOptions } from './write-request.js';

const companionsTableCreationSql: SqlText = `CREATE TEMP TABLE companions (owner bigint NOT NULL, step smallint NOT NULL, type text NOT NULL, id bigint NOT NULL,
  change text NOT NULL DEFAULT 'created', source bigint, place bigint) ON COMMIT DROP`;

/**
 * Kind of change of a companion, an object created or changed along with another object. The values are those of the
 * column `change` of {@link temporaryCompanionObjectsTableName}.
 */
type CompanionObjectChangeKind = 'created' | 'adopted' | 'connected';

/**
 * New objects with companions, which are other objects, such as ports, that are created along with them. Includes the
 * `part` of their changes in the temporary table.
 */
export interface NewObjectsWithCompanions {
  readonly ids: readonly number[];
  readonly given: readonly NewObjectWithCompanions[];
  readonly counts: CreatedCompanionObjectCounts;
  readonly part: number;
}

/**
 * Number of companions that one SQL statement writes. Companions are objects, such as ports, that are created along
 * with another object. A statement writes more if a single object has more companions.
 */
const companionsPerStatement = 5_000;

/**
 * Numbering of the changes of companions, which are objects, such as ports, created along with an owner. Each owner has
 * up to `most` numbers, starting `behind` numbers after the owner's own number. `after` is the number of owners in
 * earlier batches.
 */
interface CompanionChangeNumbering {
  readonly changes: readonly CompanionObjectChangeKind[];
  readonly after: number;
  readonly behind: number;
  readonly most: number;
}

/**
 * Returns how many numbers an object with companions, such as ports, needs in the order of changes. The changes are
 * those of the object and of its companions, and the updates of companions.
 */
export function countChangeNumbersPerOwner({ most, maxConnected }: CreatedCompanionObjectCounts): number {
  return 1 + most + maxConnected;
}

/**
 * Creates the companions of new objects, such as the ports of devices, and stores their changes in a temporary table.
 * The changes of companions follow the change of their object: first the creations, then the updates.
 */
export class CompanionObjectCreator {
  constructor(
    private readonly options: ObjectWriterOptions,
    private readonly changes: TemporaryChangeTable,
  ) {}

  /**
   * Creates the companions, such as ports, of new objects in batches. No statement writes many more companions than
   * {@link companionsPerStatement}.
   *
   * @throws ApplicationError as {@link CompanionObjectsDeclaration.insert} does
   */
  async createCompanionObjects(
    tx: Tx,
    companions: CompanionObjectsDeclaration,
    owners: NewObjectsWithCompanions,
  ): Promise<void> {
    const { ids, given, counts } = owners;
    const models = this.#stageByModel(counts);
    const customFields = await this.#createCompanionsTable(tx, models);
    const ownersPerStatement = Math.max(1, Math.floor(companionsPerStatement / counts.most));
    await forEachNumberRange(ids.length, ownersPerStatement, async (after, to) => {
      await tx.query(`TRUNCATE ${temporaryCompanionObjectsTableName}`);
      const write = { owners: ids.slice(after, to), given: given.slice(after, to), counts, customFields };
      await this.#createForOwners(tx, companions, write, { models, part: owners.part, after });
    });
  }

  async #createForOwners(
    tx: Tx,
    companions: CompanionObjectsDeclaration,
    write: CompanionObjectsWrite,
    {
      models,
      part,
      after,
    }: { readonly models: readonly ModelDefinition[]; readonly part: number; readonly after: number },
  ): Promise<void> {
    const { counts } = write;
    await companions.insert(tx, write);
    await tx.query(`ANALYZE ${temporaryCompanionObjectsTableName}`);
    await this.#numberStagedChanges(tx, write, {
      changes: ['created', 'adopted'],
      after,
      behind: 1,
      most: counts.most,
    });
    for (const model of models) {
      await this.changes.storeObjectCreations(tx, model, this.#stagedCompanionsSql(model, part, 'created'));
      if (counts.adopts)
        await this.changes.storeUpdatesWithoutPrechange(tx, model, this.#stagedCompanionsSql(model, part, 'adopted'));
    }
    if (counts.maxConnected === 0) return;
    await companions.connect(tx, write);
    await this.#numberStagedChanges(tx, write, {
      changes: ['connected'],
      after,
      behind: 1 + counts.most,
      most: counts.maxConnected,
    });
    for (const model of models)
      await this.changes.storeSecondUpdates(tx, model, this.#stagedCompanionsSql(model, part, 'connected'));
  }

  #stageByModel({ types }: CreatedCompanionObjectCounts): ModelDefinition[] {
    return [...types].flatMap((type) => this.options.registry.find(type) ?? []);
  }

  async #createCompanionsTable(
    tx: Tx,
    models: readonly ModelDefinition[],
  ): Promise<CompanionObjectsWrite['customFields']> {
    const { customFields } = this.options.shapes;
    await lockCustomFieldsWithDefault(tx, models, customFields);
    const values = new Map(
      models.map((model) => [model.type, JSON.stringify(getNewObjectCustomFields(model, customFields))]),
    );
    await tx.query(companionsTableCreationSql);
    return (type) => values.get(type) ?? '{}';
  }

  /**
   * Numbers the stored changes of companions, such as ports, in the order of the changes. If templates were added since
   * the companions were counted, an object can have more companions than counted. The surplus companions share the last
   * number.
   */
  async #numberStagedChanges(
    tx: Tx,
    { owners, counts }: CompanionObjectsWrite,
    { changes, after, behind, most }: CompanionChangeNumbering,
  ): Promise<void> {
    await tx.query(
      `UPDATE ${temporaryCompanionObjectsTableName} c
        SET place = ($6::bigint + o.ordinal - 1) * $2::bigint + $3::bigint + least(n.ordinal, $4::bigint)
        FROM unnest($1::bigint[]) WITH ORDINALITY AS o (id, ordinal),
          (SELECT ctid, row_number() OVER (PARTITION BY owner ORDER BY step, id) AS ordinal
            FROM ${temporaryCompanionObjectsTableName} WHERE change = ANY ($5::text[])) n
        WHERE c.ctid = n.ctid AND c.owner = o.id`,
      [owners, countChangeNumbersPerOwner(counts), behind, most, changes, after],
    );
  }

  #stagedCompanionsSql(model: ModelDefinition, part: number, change: CompanionObjectChangeKind) {
    const source = `${temporaryCompanionObjectsTableName} c JOIN ${model.table} ${objectRowAlias} ON ${objectRowAlias}.id = c.id
      WHERE c.type = '${model.type}' AND c.change = '${change}'`;
    return { part, place: 'c.place', source };
  }
}
