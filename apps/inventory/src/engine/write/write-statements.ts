import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { createEntityTagSql, objectRowAlias, type ObjectJsonSqlCache } from '../read/object-json-sql.js';
import { quoteSqlIdentifier, type SqlText } from '../sql/json-text-sql.js';
import { createParentObjectSql } from './change-sink.js';
import { createSqlRecordType, listWrittenColumns } from './stored-columns-of-models.js';

/** Row that an SQL write statement returns: the object's id, its JSON text, form in the change log, and entity tag. */
export type WrittenRow = [id: number, data: string, snapshot: string, entityTag: string | null];

/** An object as read before the change: id, columns, form in the change log, entity tag and JSON text. */
export type RowLoadedBeforeChange = [
  id: number,
  columns: Record<string, unknown>,
  snapshot: string,
  entityTag: string | null,
  data: string | null,
];

/**
 * Maximum number of SQL statements cached for each model. A cached statement applies to one set of references that are
 * null in all rows.
 */
const maxCachedStatements = 16;

/**
 * SQL statements that write the rows of models. `$1` is the scheme and host of URLs. `$2` contains the rows as a JSON
 * array, or the ids of rows.
 */
export class RowWriteStatements {
  #inserts = new WeakMap<ModelDefinition, SqlText>();
  #creations = new WeakMap<ModelDefinition, Map<string, SqlText>>();
  #updates = new WeakMap<ModelDefinition, SqlText>();
  #version = 0;

  constructor(
    private readonly registry: ModelRegistry,
    readonly shapes: ObjectJsonSqlCache,
  ) {}

  /** Returns the SQL statement that inserts rows and returns {@link WrittenRow}s, in the order of the given rows. */
  insert(model: ModelDefinition): SqlText {
    this.#evictOutdatedStatements();
    const known = this.#inserts.get(model);
    if (known !== undefined) return known;
    const made = createReturningRowsSql(
      [
        this.shapes.getNewObjectSql(model),
        this.shapes.getNewSnapshotSql(model),
        createEntityTagSql(model, objectRowAlias),
      ],
      this.#insertStatement(model),
    );
    this.#inserts.set(model, made);
    return made;
  }

  /**
   * Returns the statement of {@link insert}, extended by INSERT statements (`noting`) that record the creation of the
   * objects (see `ObjectChangeReceiver.recordCreationsSql`). The statement does not return the objects' form in the
   * change log, because the statement itself records the changes.
   *
   * @param unrelated references that are null in all rows. The statement omits these references, which saves planning
   * time. Clients determine which references are null, so the number of cached statements per model is limited.
   */
  createInsertAndRecordStatement(
    model: ModelDefinition,
    unrelated: readonly string[],
    noting: (from: SqlText) => readonly SqlText[],
  ): SqlText {
    this.#evictOutdatedStatements();
    const ofModel = this.#creations.get(model) ?? new Map<string, SqlText>();
    this.#creations.set(model, ofModel);
    const set = unrelated.join();
    const known = ofModel.get(set);
    if (known !== undefined) return known;
    if (unrelated.length > 0 && ofModel.size >= maxCachedStatements)
      return this.createInsertAndRecordStatement(model, [], noting);
    const related = createParentObjectSql(model, objectRowAlias);
    const columns = [
      `${objectRowAlias}.id`,
      `${this.shapes.getNewObjectSql(model, new Set(unrelated))} AS data`,
      `${this.shapes.getNewSnapshotSql(model)} AS snapshot`,
      `${createEntityTagSql(model, objectRowAlias)} AS tag`,
      `(${model.display(objectRowAlias, this.registry)})::text AS repr`,
      `${related?.type ?? 'NULL::text'} AS related_type`,
      `${related?.id ?? 'NULL::bigint'} AS related_id`,
    ];
    const notes = noting('made').map((insertion, index) => `, note${index} AS (${insertion})`);
    const made = `WITH written AS (${this.#insertStatement(model)}), made AS MATERIALIZED (
        SELECT ${columns.join(', ')} FROM written ${objectRowAlias}
      )${notes.join('')} SELECT id, data, '', tag FROM made ORDER BY id`;
    ofModel.set(set, made);
    return made;
  }

  /** Removes cached SQL statements when custom fields change, because the statements contain the custom fields. */
  #evictOutdatedStatements(): void {
    const { version } = this.shapes.customFields;
    if (this.#version === version) return;
    this.#version = version;
    this.#inserts = new WeakMap();
    this.#creations = new WeakMap();
    this.#updates = new WeakMap();
  }

  #insertStatement(model: ModelDefinition): SqlText {
    const columns = this.#columns(model);
    const names = columns.map(({ name }) => quoteSqlIdentifier(name)).join(', ');
    const values = columns.map(({ name }) => `r.${quoteSqlIdentifier(name)}`).join(', ');
    // Ids are assigned row by row, in the order of the array.
    return `INSERT INTO ${model.table} (${names}) SELECT ${values} FROM jsonb_to_recordset($2::jsonb) AS ${createSqlRecordType(columns, false)} RETURNING *`;
  }

  /** Returns the SQL statement that inserts rows and returns the ids of the rows, in the order of the given rows. */
  createInsertReturningIdsStatement(model: ModelDefinition): SqlText {
    return createReturningRowsSql([], this.#insertStatement(model));
  }

  /**
   * Returns the SQL statement that updates all columns of locked rows, and returns one {@link WrittenRow} for each row.
   */
  update(model: ModelDefinition): SqlText {
    this.#evictOutdatedStatements();
    const known = this.#updates.get(model);
    if (known !== undefined) return known;
    const made = createReturningRowsSql(this.#withResponseColumns(model), this.#updateStatement(model));
    this.#updates.set(model, made);
    return made;
  }

  /** Returns the SQL statement that updates all columns of locked rows and returns the ids of the rows. */
  createUpdateReturningIdsStatement(model: ModelDefinition): SqlText {
    return createReturningRowsSql([], this.#updateStatement(model));
  }

  #updateStatement(model: ModelDefinition): SqlText {
    const columns = this.#columns(model);
    return `UPDATE ${model.table} o SET ${this.#assignmentsSql(model).join(', ')}
      FROM jsonb_to_recordset($2::jsonb) AS ${createSqlRecordType(columns, true)} WHERE o.id = r.id RETURNING o.*`;
  }

  /**
   * Returns the SQL statement that updates all columns of locked rows from `source`. Each row `s` of `source` has an
   * `id`, and a jsonb `candidate` with the new column values.
   */
  createUpdateFromSourceStatement(model: ModelDefinition, source: SqlText): SqlText {
    const columns = this.#columns(model);
    return `UPDATE ${model.table} o SET ${this.#assignmentsSql(model).join(', ')}
      FROM ${source}, jsonb_to_record(s.candidate) AS ${createSqlRecordType(columns, false)} WHERE o.id = s.id`;
  }

  /**
   * Returns the SQL statement that inserts rows from `source` and returns the ids of the rows. Each row `s` of `source`
   * has a jsonb `candidate` with the column values, and a `place`, the row's position in the order.
   */
  createInsertFromSourceStatement(model: ModelDefinition, source: SqlText): SqlText {
    const columns = this.#columns(model);
    const names = columns.map(({ name }) => quoteSqlIdentifier(name)).join(', ');
    const values = columns.map(({ name }) => `r.${quoteSqlIdentifier(name)}`).join(', ');
    return `INSERT INTO ${model.table} (${names}) SELECT ${values}
      FROM ${source}, jsonb_to_record(s.candidate) AS ${createSqlRecordType(columns, false)} ORDER BY s.place RETURNING id`;
  }

  #assignmentsSql(model: ModelDefinition): SqlText[] {
    const changes = this.#columns(model).map(
      ({ name }) => `${quoteSqlIdentifier(name)} = r.${quoteSqlIdentifier(name)}`,
    );
    // Uses the time of the statement instead of the transaction, so that two changes in one transaction have different
    // entity tags.
    if (model.fields['last_updated'] !== undefined) changes.push('last_updated = clock_timestamp()');
    return changes;
  }

  /** Returns the SQL statement that reads one {@link WrittenRow} for each row whose id is in the parameter `$2`. */
  createRowRereadStatement(model: ModelDefinition): SqlText {
    return `SELECT ${[`${objectRowAlias}.id`, ...this.#withResponseColumns(model)].join(', ')} FROM ${model.table} ${objectRowAlias}
      WHERE $1::text IS NOT NULL AND ${objectRowAlias}.id = ANY ($2::bigint[]) ORDER BY ${objectRowAlias}.id`;
  }

  /**
   * Returns the SQL statement that reads one {@link RowLoadedBeforeChange} for each row that meets a condition and whose id is in
   * the parameter `$2`.
   */
  createRowLoadStatement(
    model: ModelDefinition,
    options: { condition: SqlText | null; withData: boolean; withSnapshot?: boolean },
  ): SqlText {
    const data = options.withData ? this.shapes.getFullObjectSql(model) : 'NULL::text';
    const snapshot = options.withSnapshot === false ? "''::text" : this.shapes.getSnapshotSql(model);
    return `SELECT ${objectRowAlias}.id, to_jsonb(${objectRowAlias}), ${snapshot}, ${createEntityTagSql(model, objectRowAlias)}, ${data}
      FROM ${model.table} ${objectRowAlias} WHERE ${createRequestedRowsConditionSql(options.condition)} ORDER BY ${objectRowAlias}.id`;
  }

  /**
   * Returns the SQL statement that reads the ids and entity tags of rows that meet a condition and whose ids are in the
   * parameter `$2`.
   */
  createEntityTagLoadStatement(model: ModelDefinition, condition: SqlText | null): SqlText {
    return `SELECT ${objectRowAlias}.id, ${createEntityTagSql(model, objectRowAlias)} FROM ${model.table} ${objectRowAlias}
      WHERE ${createRequestedRowsConditionSql(condition)} ORDER BY ${objectRowAlias}.id`;
  }

  /**
   * Returns the SQL statement that locks the rows that the statement of {@link createRowLoadStatement} reads, and returns the ids of
   * the rows.
   */
  createRowLockStatement(
    model: ModelDefinition,
    options: { condition: SqlText | null; forDeletion: boolean },
  ): SqlText {
    return `SELECT ${objectRowAlias}.id FROM ${model.table} ${objectRowAlias} WHERE ${createRequestedRowsConditionSql(options.condition)}
      ORDER BY ${objectRowAlias}.id FOR ${options.forDeletion ? '' : 'NO KEY '}UPDATE OF ${objectRowAlias}`;
  }

  #withResponseColumns(model: ModelDefinition): SqlText[] {
    return [
      this.shapes.getFullObjectSql(model),
      this.shapes.getSnapshotSql(model),
      createEntityTagSql(model, objectRowAlias),
    ];
  }

  #columns(model: ModelDefinition): ReturnType<typeof listWrittenColumns> {
    return listWrittenColumns(model, (type) => this.registry.find(type) === null);
  }
}

/** Returns the SQL condition for rows whose ids are in the parameter `$2` and that meet a further condition. */
function createRequestedRowsConditionSql(condition: SqlText | null): SqlText {
  const further = condition === null ? '' : ` AND (${condition})`;
  return `$1::text IS NOT NULL AND ${objectRowAlias}.id = ANY ($2::bigint[])${further}`;
}

function createReturningRowsSql(columns: readonly SqlText[], change: SqlText): SqlText {
  return `WITH written AS (${change}) SELECT ${[`${objectRowAlias}.id`, ...columns].join(', ')} FROM written ${objectRowAlias}
    WHERE $1::text IS NOT NULL ORDER BY ${objectRowAlias}.id`;
}
