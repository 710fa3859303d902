import { type CustomFieldDefinitionSource, emptyCustomFieldDefinitionSource } from '../custom-fields/custom-field.js';
import type { StatementSqlScope } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { maskedSecret, decryptTextsInJson, canModelReturnEncryptedTexts } from '../sealed/encrypted-text-sql.js';
import type { ModelHookServices } from '../model-hook-services.js';
import { joinJsonFragmentsIntoSql, quoteSqlIdentifier, type SqlText } from '../sql/json-text-sql.js';
import {
  allFieldsSelection,
  createNewObjectFragments,
  createObjectJsonFragments,
  type FieldSelectionParameters,
  listSelectedFieldNames,
  createSnapshotFragments,
} from './object-json-fragments.js';
import { createPageScope, createStatementScope } from './sql-statement-scope.js';

/** SQL alias of the table whose rows a statement converts to JSON. */
export const objectRowAlias = 't';

/** Name of the common table expression with the rows of a page; see {@link ObjectJsonSqlCache.getPageSql}. */
export const pageRowsCteName = 'page';

/**
 * Maximum total length of the SQL expressions cached by {@link ObjectJsonSqlCache.getPageSqlWithTypes}, in characters.
 * The cache is cleared when the total length would exceed the maximum.
 */
const MAX_CACHED_TYPED_SQL_CHARACTERS = 4 * 1024 * 1024;

/** Maximum length, in characters, of an SQL expression that the cache stores for fields that a client selected. */
const MAX_CACHED_SELECTION_SQL_CHARACTERS = 20_000;

/** SQL expressions of an object's JSON text in two forms: the form of responses, and the form of change records. */
export interface RowJsonSqlExpressions {
  readonly full: SqlText;
  readonly snapshot: SqlText;
}

interface CachedJsonSqlOfModel {
  full: SqlText;
  brief: SqlText;
  page: SqlText;
  briefPage: SqlText;
  snapshot: SqlText;
  pageSnapshot: SqlText;
  created: SqlText;
  createdSnapshot: SqlText;
}

/**
 * Builds and caches the SQL expressions of the JSON of objects, once per model. In the expressions, rows have the alias
 * `t`, and `$1` is the scheme and host of URLs.
 */
export class ObjectJsonSqlCache {
  #byModel = new WeakMap<ModelDefinition, CachedJsonSqlOfModel>();
  #byTypes = new Map<string, SqlText>();
  #typedCharacters = 0;
  #version = 0;

  constructor(
    private readonly registry: ModelRegistry,
    readonly customFields: CustomFieldDefinitionSource = emptyCustomFieldDefinitionSource,
    private readonly openText: ModelHookServices['open'] = () => maskedSecret,
  ) {}

  /** Decrypts encrypted texts in the JSON text of objects, for users who may view the objects. */
  decryptJson(model: ModelDefinition, json: string): string {
    return canModelReturnEncryptedTexts(model) ? decryptTextsInJson(json, this.openText) : json;
  }

  /** Returns the SQL expression of an object's JSON with the fields that a client selected. */
  getSelectedFieldsSql(model: ModelDefinition, selection: FieldSelectionParameters): SqlText {
    if (hasFieldSelection(selection)) return this.#buildFullShape(model, listSelectedFieldNames(model, selection));
    const { full, brief } = this.#cachedShapesOf(model);
    return selection.brief ? brief : full;
  }

  /**
   * Returns an SQL expression like {@link getSelectedFieldsSql} for rows of the table expression
   * {@link pageRowsCteName}. The related objects of all rows are loaded in batches.
   */
  getPageSql(model: ModelDefinition, selection: FieldSelectionParameters): SqlText {
    if (hasFieldSelection(selection)) return this.#buildPageShape(model, listSelectedFieldNames(model, selection));
    const { page, briefPage } = this.#cachedShapesOf(model);
    return selection.brief ? briefPage : page;
  }

  /**
   * Returns the columns that contain types of referenced objects, if the SQL of the selected fields depends on those
   * types; see `Field.variesByType`. Returns no columns if the SQL depends on no type.
   */
  listReferencedTypeColumns(model: ModelDefinition, selection: FieldSelectionParameters): readonly SqlText[] {
    const columns = listSelectedFieldNames(model, selection).flatMap((name) => {
      const typeField = model.fields[name]?.variesByType;
      const column = typeField === undefined ? undefined : model.fields[typeField]?.column(typeField)?.name;
      return column === undefined ? [] : [`${objectRowAlias}.${quoteSqlIdentifier(column)}`];
    });
    return [...new Set(columns)];
  }

  /** Returns an SQL expression like {@link getPageSql} for a page whose rows refer only to objects of the given types. */
  getPageSqlWithTypes(model: ModelDefinition, selection: FieldSelectionParameters, types: readonly string[]): SqlText {
    const names = listSelectedFieldNames(model, selection);
    const key = [model.type, ...names, '', ...types.toSorted()].join(' ');
    this.#evictOutdatedShapes();
    const known = this.#byTypes.get(key);
    if (known !== undefined) return known;
    const scope = { ...this.#pageSqlScopeOf('j'), targetTypes: { alias: objectRowAlias, types: new Set(types) } };
    const made = joinJsonFragmentsIntoSql(createObjectJsonFragments(model, names, objectRowAlias, scope));
    // Clients influence the fields and the types, so that the cache needs a limit.
    if (hasFieldSelection(selection) && made.length > MAX_CACHED_SELECTION_SQL_CHARACTERS) return made;
    const characters = key.length + made.length;
    if (this.#typedCharacters + characters > MAX_CACHED_TYPED_SQL_CHARACTERS) this.#clearShapesByType();
    this.#typedCharacters += characters;
    this.#byTypes.set(key, made);
    return made;
  }

  /** Returns the SQL expression of an object's JSON with all fields. */
  getFullObjectSql(model: ModelDefinition): SqlText {
    return this.#cachedShapesOf(model).full;
  }

  /** Returns the SQL expression of an object's JSON in the form of change records. */
  getSnapshotSql(model: ModelDefinition): SqlText {
    return this.#cachedShapesOf(model).snapshot;
  }

  /**
   * Returns SQL expressions like {@link getFullObjectSql} and {@link getSnapshotSql} for rows of the table expression
   * {@link pageRowsCteName}. The related objects of all rows are loaded in batches.
   */
  getStagedObjectSql(model: ModelDefinition): RowJsonSqlExpressions {
    const { page, pageSnapshot } = this.#cachedShapesOf(model);
    return { full: page, snapshot: pageSnapshot };
  }

  /**
   * Returns an SQL expression like {@link getFullObjectSql} for a new object. `unrelated` are the names of references
   * that are shown as null; see `createNewObjectFragments`.
   */
  getNewObjectSql(model: ModelDefinition, unrelated: ReadonlySet<string> = new Set()): SqlText {
    if (unrelated.size === 0) return this.#cachedShapesOf(model).created;
    return joinJsonFragmentsIntoSql(createNewObjectFragments(model, objectRowAlias, this.#sqlScopeOf('j'), unrelated));
  }

  /** Returns an SQL expression like {@link getSnapshotSql} for an object that the same statement inserts. */
  getNewSnapshotSql(model: ModelDefinition): SqlText {
    return this.#cachedShapesOf(model).createdSnapshot;
  }

  #evictOutdatedShapes(): void {
    if (this.#version === this.customFields.version) return;
    this.#version = this.customFields.version;
    this.#byModel = new WeakMap();
    this.#clearShapesByType();
  }

  #clearShapesByType(): void {
    this.#byTypes.clear();
    this.#typedCharacters = 0;
  }

  #cachedShapesOf(model: ModelDefinition): CachedJsonSqlOfModel {
    this.#evictOutdatedShapes();
    const known = this.#byModel.get(model);
    if (known !== undefined) return known;
    const shapes = {
      full: this.#buildFullShape(model, listSelectedFieldNames(model, allFieldsSelection)),
      brief: this.#buildFullShape(model, model.brief),
      page: this.#buildPageShape(model, listSelectedFieldNames(model, allFieldsSelection)),
      briefPage: this.#buildPageShape(model, model.brief),
      snapshot: this.#snapshotShape(model, false),
      pageSnapshot: joinJsonFragmentsIntoSql(
        createSnapshotFragments(model, objectRowAlias, this.#pageSqlScopeOf('s'), { isNew: false }),
      ),
      created: joinJsonFragmentsIntoSql(createNewObjectFragments(model, objectRowAlias, this.#sqlScopeOf('j'))),
      createdSnapshot: this.#snapshotShape(model, true),
    };
    this.#byModel.set(model, shapes);
    return shapes;
  }

  #sqlScopeOf(prefix: string): StatementSqlScope {
    return createStatementScope(this.registry, prefix, this.customFields);
  }

  #pageSqlScopeOf(prefix: string): StatementSqlScope {
    return createPageScope(this.#sqlScopeOf(prefix), { alias: objectRowAlias, table: pageRowsCteName });
  }

  #snapshotShape(model: ModelDefinition, isNew: boolean): SqlText {
    return joinJsonFragmentsIntoSql(createSnapshotFragments(model, objectRowAlias, this.#sqlScopeOf('s'), { isNew }));
  }

  #buildPageShape(model: ModelDefinition, names: readonly string[]): SqlText {
    return joinJsonFragmentsIntoSql(createObjectJsonFragments(model, names, objectRowAlias, this.#pageSqlScopeOf('j')));
  }

  #buildFullShape(model: ModelDefinition, names: readonly string[]): SqlText {
    return joinJsonFragmentsIntoSql(createObjectJsonFragments(model, names, objectRowAlias, this.#sqlScopeOf('j')));
  }
}

/** Returns true if the client selected fields with `fields`, `omit` or `exclude`. */
function hasFieldSelection({ fields, omit, exclude }: FieldSelectionParameters): boolean {
  return fields !== null || omit !== null || exclude !== '';
}

/**
 * Returns the SQL expression of the weak entity tag of a row (docs/contract/inventory.md 1.6). The expression is null
 * for models without time fields.
 */
export function createEntityTagSql(model: ModelDefinition, alias: string): SqlText {
  const times = ['last_updated', 'created'].filter((name) => model.fields[name] !== undefined);
  if (times.length === 0) return 'NULL::text';
  const time = `coalesce(${times.map((name) => `${alias}.${name}`).join(', ')}) AT TIME ZONE 'UTC'`;
  return `'W/"' || to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.US') || '+00:00"'`;
}
