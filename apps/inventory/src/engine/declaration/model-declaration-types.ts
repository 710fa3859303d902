import type { Tx } from '@switchboard/database';
import type { InventoryActor } from '../inventory-actor.js';
import type { CustomFieldSource } from '../custom-fields/custom-field.js';
import type { FilterStatement, FilterLookup } from '../filter/filter-statement.js';
import type { JsonSchema } from '../meta/json-schema-of-values.js';
import type { RequestLimits } from '../request-limits.js';
import type { ModelHookServices } from '../model-hook-services.js';
import type { JsonTextFragment, SqlText } from '../sql/json-text-sql.js';
import type { UploadFieldFunctions } from '../uploads/uploaded-file.js';
import type { RelatedLookup } from '../write/related-lookup.js';
import type { CompanionObjects } from './companion-objects.js';
import type { DerivedDataHook } from './derived-data-hook.js';
import type {
  BatchLookup,
  FieldColumn,
  ReferencedTextSource,
  JoinTable,
  ListedChoice,
  SortValueTable,
  OwnedRowsTable,
  FieldStoringFunction,
  GenericTargetTypes,
  FieldProperties,
} from './field-property-types.js';
import type {
  ModelConstraint,
  ExtraDeleteBlockers,
  ModelFillHook,
  ModelWithIds,
  DefaultOrderTerm,
  ModelPrepareResult,
  ValidationMessages,
  SearchTerm,
  ChangedColumns,
  AuditedFields,
} from './model-option-types.js';

/*
 * Types that refer to one another: a model has fields and filters, and these are made from the models and the registry.
 */

/** Field, table alias and statement for which a field generates its SQL. */
export interface FieldSqlContext {
  readonly name: string;
  readonly model: ModelDefinition;
  /** SQL alias of the model's table. */
  readonly alias: string;
  readonly scope: StatementSqlScope;
}

/** Data shared by all fields of one SQL statement, such as the base of URLs. */
export interface StatementSqlScope {
  readonly registry: ModelRegistry;
  readonly customFields: CustomFieldSource;
  /** SQL expression of the scheme and host that URLs begin with, already escaped for JSON. */
  readonly base: SqlText;
  /** Returns a table alias that is not used in the statement yet. */
  alias(): string;
  /** Lookup that loads the related objects of all rows of a page in one query; null to load them row by row. */
  readonly batchLookup: BatchLookup | null;
  /** Types of the objects that generic references of the page refer to; null if these types are not known. */
  readonly targetTypes: GenericTargetTypes | null;
}

/** Context in which a field parses its value from a request body. */
export interface FieldInputContext {
  readonly name: string;
  readonly registry: ModelRegistry;
  readonly model: ModelDefinition;
}

/** Description of a field in OPTIONS, in addition to its traits (docs/contract/inventory.md 1.8). */
export interface FieldMetadata {
  readonly type: string;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly max_digits?: number;
  readonly decimal_places?: number;
  readonly choices?: readonly ListedChoice[] | ((registry: ModelRegistry) => readonly ListedChoice[]);
  /** The nested object that the field shows; OPTIONS lists its fields as `children`. */
  readonly nested?: NestedMetadata;
  /** Further properties of a field in the response to OPTIONS (docs/contract/inventory.md 1.8). */
  readonly child?: ChildMetadata;
}

/**
 * Model (`<app>.<model>`) of a nested object, and the fields that the nested object shows. Default: the fields of the
 * model's nested form.
 */
export interface NestedMetadata {
  readonly of: string;
  readonly shape?: ModelFieldMap | readonly string[] | undefined;
}

/** Metadata of a list item in OPTIONS; see {@link FieldMetadata}. */
export interface ChildMetadata {
  readonly type: string;
  readonly required: boolean;
  readonly read_only: boolean;
  readonly label?: string;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly choices?: readonly ListedChoice[];
  readonly nested?: NestedMetadata;
  /** Members of a list item that is a JSON object of no declared model. */
  readonly children?: Readonly<Record<string, object>>;
}

/**
 * A field of a model. Each type of field is defined by a file in `field-types/`. `Stored` is the JavaScript type of the
 * stored value; row types are derived from it.
 */
export interface ModelField<Stored = unknown> {
  readonly kind: string;
  readonly traits: FieldProperties;
  /** Returns the column that stores a field with the given name; null if the field is stored elsewhere or computed. */
  column(name: string): FieldColumn | null;
  /** Returns the SQL fragments of the field's JSON text in responses. */
  json(place: FieldSqlContext): readonly JsonTextFragment[];
  /**
   * Returns the SQL fragments of the field's JSON text in change records (docs/contract/inventory.md 4); null to omit the
   * field.
   */
  snapshot(place: FieldSqlContext): readonly JsonTextFragment[] | null;
  /** Name of the field in change records; the field's own name when absent. */
  readonly changeLogName?: string;
  /**
   * Parses a value that a client sent. Called only if the request contains the field.
   *
   * @throws InputProblem with the messages for the field
   */
  input(value: unknown, place: FieldInputContext): Stored | RelatedLookup;
  /** Merges a sent value into the stored value of the field. Without this function, the sent value replaces it. */
  combine?(before: unknown, sent: unknown): unknown;
  readonly schema: { read(registry: ModelRegistry): JsonSchema; write(registry: ModelRegistry): JsonSchema };
  readonly metadata: FieldMetadata;
  /** Returns the filters that the field adds to lists. */
  filters(name: string, registry: ModelRegistry, model: ModelDefinition): readonly ListFilter[];
  /** Returns SQL expressions that sort objects by the field. The list is empty if sorting is not supported. */
  order(place: FieldSqlContext): readonly SqlText[];
  /** Set by fields that sort objects by a number computed for all rows together. */
  readonly orderedBy?: SortValueTable;
  /**
   * For references whose own table has copies of the target's sort values: returns the SQL of these columns. They sort
   * rows in the order of the referenced objects without a join.
   */
  readonly storedOrder?: (alias: string) => readonly SqlText[];
  /**
   * True for references with an index on their column and the id. A page of a list sorted by the reference then reads
   * few rows for each referenced object.
   */
  readonly isIndexedWithId?: boolean;
  /** True for references with an indexed column, where many rows refer to the same object; see `ReferenceTargetOrder`. */
  readonly hasManyRows?: boolean;
  /** Set by fields that show texts of other objects. */
  readonly foreignTexts?: ReferencedTextSource;
  /**
   * Set by fields whose JSON has one subquery for each of many types: name of the field that contains the type of a
   * row. If the scope has `targetTypes`, the JSON contains only the subqueries for these types.
   */
  readonly variesByType?: string;
  /** Set by relations: the models that the field refers to. */
  readonly relation?: FieldRelation;
  /** Set by tags: the tag model and the table of assignments. */
  readonly tagTables?: { readonly type: string; readonly assignments: string };
  /** Set by file fields, whose column stores the path of the file, or '' without a file. */
  readonly upload?: UploadFieldFunctions;
  /** Set by many-to-many relations: the table of pairs of related objects. */
  readonly join?: JoinTable;
  /** Set by fields whose value is a list of rows that belong to the object: the table of these rows. */
  readonly rows?: OwnedRowsTable;
  /** Set by fields that a database function stores as objects of another model. See `writeRelatedObjectsOfFields`. */
  readonly storedBy?: FieldStoringFunction;
  /** Set by encrypted texts: `shown` if statements return them, to be decrypted for users who can view the object. */
  readonly sealed?: 'hidden' | 'shown';
}

/** A reference from one model to another. */
export interface FieldRelation {
  readonly kind: 'ref' | 'generic' | 'tags' | 'many';
  /** Models (`<app>.<model>`) that the reference may refer to; more than one for a generic reference. */
  readonly targets: readonly string[];
  readonly onDelete: 'protect' | 'cascade' | 'set_null';
  /** Names of columns that are set to null together with the reference. */
  readonly emptiedToo?: readonly string[];
  /** Name of the field that contains the model of the target. Set for generic references. */
  readonly typeField?: string;
  /** Name of the field that contains the id of the target. Set for generic references. */
  readonly idField?: string;
  /** Returns the error message for an id that does not exist; a general message when absent. */
  missingMessage?(id: number): string;
  /**
   * True if the reference survives the deletion of its target. A generic reference then remains unchanged; a foreign
   * key is set to null by the database without a change record.
   */
  readonly keepOnTargetDelete?: boolean;
  /** True if objects that the user may not view are treated as nonexistent in writes and filters. */
  readonly viewedOnly?: boolean;
  /**
   * For a generic reference: models among `targets` whose objects cannot be deleted while they are referenced,
   * regardless of `onDelete`.
   */
  readonly protects?: readonly string[];
  /** Error for a generic reference with a model but no id: its key and message. */
  readonly incomplete?: { readonly key: string; message(target: ModelDefinition): string };
  /** Error for a generic reference to a nonexistent object: its key and message. */
  readonly notFoundMessage?: { readonly key: string; message(target: ModelDefinition, id: number): string };
}

/** A field of unknown stored type. */
export type AnyModelField = ModelField;

/** Fields by name, in response order. */
export type ModelFieldMap = Readonly<Record<string, AnyModelField>>;

/** Type of the stored value of a field. */
type StoredFieldValue<F> = F extends ModelField<infer Stored> ? Stored : never;

/** Values of one filter in a query string, and the context for compiling it to SQL. */
export interface FilterRequest extends FilterStatement {
  /** Returns the SQL condition that the user may view a row of a model. */
  mayView(model: ModelDefinition, alias: string): SqlText;
}

/** A query parameter that filters the objects of a list. */
export interface ListFilter {
  readonly name: string;
  /** Lookups, such as `__n`, that the filter supports in addition to equality. */
  readonly lookups: readonly FilterLookup[];
  /** True if all values of a repeated query parameter count. Otherwise only the last value counts. */
  readonly multiple: boolean;
  /** OpenAPI schema of one value of the filter. */
  readonly schema: JsonSchema;
  /** True if filtering may take long for any value. The list then counts as a heavy read. */
  readonly isHeavy?: boolean;
  /**
   * Returns the SQL condition that a row matches the filter, or null if the values are to be ignored.
   *
   * @throws FilterProblem if a value is invalid
   */
  compile(request: FilterRequest): SqlText | null;
}

/**
 * Function that creates filters of a model after all models are declared. Returns no filters if it needs a model that
 * is not declared.
 */
export type CreateFilters = (model: ModelDefinition, registry: ModelRegistry) => readonly ListFilter[];

/** Filters whose parameter names consist of a fixed prefix and a free part, such as a key of a JSON object. */
export interface FiltersWithPrefix {
  readonly prefix: string;
  /** Returns the filter for the query parameter `<prefix><key>`. */
  filter(key: string): ListFilter;
}

/** Values of an object that is about to be stored, by field name, as rules receive them. */
export type RowValueByColumn<F extends ModelFieldMap = ModelFieldMap> = {
  readonly [K in keyof F]?: StoredFieldValue<F[K]>;
};

/** Context of a rule: the row before the change, the registry, and the limits of requests. */
interface RuleContext<F extends ModelFieldMap = ModelFieldMap> {
  readonly previous: RowValueByColumn<F> | null;
  readonly registry: ModelRegistry;
  readonly limits: RequestLimits;
}

/** A rule as a method, so that rules of one model fit into collections for any model. */
interface ModelRuleFunction<F extends ModelFieldMap> {
  check(row: RowValueByColumn<F>, context: RuleContext<F>): ValidationMessages | null;
}

/** A rule that is checked before an object is written. Returns its error messages, or null if the object is valid. */
export type ModelRule<F extends ModelFieldMap = ModelFieldMap> = ModelRuleFunction<F>['check'];

/** Context of the hook `prepare`: the row before the write, the actor, services, and access to slow work. */
export interface PrepareContext<F extends ModelFieldMap = ModelFieldMap> {
  readonly previous: RowValueByColumn<F> | null;
  readonly actor: InventoryActor;
  readonly services: ModelHookServices;
  /**
   * Returns the result of slow work that needs no database connection, or undefined while the work has not been done.
   * In that case the write is rolled back and repeated after the work. Calls with the same key share the work.
   */
  ahead<T>(key: string, work: () => Promise<T>): Promise<T | undefined>;
}

/** Functions of a model that run before or after its objects are written. */
export interface ModelHooks<F extends ModelFieldMap = ModelFieldMap> {
  /** Computes values from other rows, such as the content of a file; see {@link ModelFillHook}. */
  fill?: ModelFillHook;
  /**
   * Checks a rule that reads other rows and cannot be a database constraint. Runs once for all objects of a write that
   * are valid so far, with the stored row of each (null for a new object). Returns null for each object that meets the
   * rule. Concurrent requests may both pass, so that strict rules belong in the database.
   */
  review?(
    tx: Tx,
    rows: readonly RowValueByColumn<F>[],
    previous: readonly (RowValueByColumn<F> | null)[],
  ): Promise<readonly (ValidationMessages | null)[]>;
  /**
   * Runs after an object passed its rules and before its row is written. Slow work, such as password hashing, uses
   * `context.ahead`.
   *
   * @throws AppError if the actor may not write the object
   */
  prepare?(row: RowValueByColumn<F>, context: PrepareContext<F>): Promise<ModelPrepareResult>;
  /**
   * Acquires in a fixed order all locks that the model's triggers will need, so that concurrent bulk writes do not
   * deadlock. Runs once before the rows of a write are stored.
   */
  lock?(tx: Tx, writes: readonly ChangedColumns[]): Promise<void>;
  /** Objects that are created along with new objects of the model. */
  companions?: CompanionObjects;
  /**
   * Returns other objects that database triggers change along with a write, so that their changes are recorded as well.
   * Runs once before the rows of a write are stored.
   */
  triggerSideEffects?(tx: Tx, writes: readonly ChangedColumns[]): Promise<readonly ModelWithIds[]>;
  /** Derived data of other objects that depends on objects of this model. */
  derived?: DerivedDataHook;
}

/** SQL expressions of JSON text by the name of a change record's member; see `ModelOptions.changeLogMembers`. */
export type ChangeLogMembers = Readonly<Record<string, (alias: string, model: ModelDefinition) => SqlText>>;

/** A declared model in which all options have a value. */
export interface ModelDefinition {
  /** Name of the model, as `<app>.<model>`. */
  readonly type: string;
  readonly app: string;
  readonly path: string;
  readonly objectName: string;
  readonly verboseName: string;
  readonly verboseNamePlural: string;
  readonly resetOnPut: readonly string[];
  readonly table: string;
  readonly fields: ModelFieldMap;
  readonly display: (alias: string, registry: ModelRegistry) => SqlText;
  readonly brief: readonly string[];
  readonly nested: readonly string[];
  readonly order: readonly DefaultOrderTerm[];
  readonly search: readonly SearchTerm[];
  readonly constraints: readonly ModelConstraint[];
  readonly rules: readonly ModelRule[];
  readonly hooks: ModelHooks;
  readonly extraDeleteBlockers: readonly ExtraDeleteBlockers[];
  readonly filters: readonly (ListFilter | CreateFilters)[];
  readonly openFilters: FiltersWithPrefix | null;
  readonly events: boolean;
  readonly changeLog: boolean;
  readonly audit: AuditedFields | null;
  readonly relatedTo: readonly string[];
  readonly tree: boolean;
  readonly rereadAfterUpdate: boolean;
  readonly rereadAfterUpdateFields: readonly string[];
  readonly showEachOther: ((ids: SqlText) => SqlText) | null;
  readonly rereadAfterCreateOfMany: boolean;
  readonly rereadAfterCreateFields: readonly string[];
  readonly openToUsers: boolean;
  readonly visible: ((alias: string, userId: SqlText) => SqlText) | null;
  readonly hiddenColumns: Readonly<Record<string, string>>;
  readonly changeLogMembers: ChangeLogMembers;
  readonly methods: { readonly list: readonly string[]; readonly detail: readonly string[] };
}

/** A reference from one model to another, seen from the referenced model. */
export interface IncomingReference {
  readonly model: ModelDefinition;
  readonly fieldName: string;
  readonly kind: 'ref' | 'generic';
  readonly onDelete: 'protect' | 'cascade' | 'set_null';
  /** Column that stores the id of the referenced object. */
  readonly idColumn: string;
  /** Column that stores the referenced model (`<app>.<model>`); null unless the reference is generic. */
  readonly typeColumn: string | null;
  /** Names of columns that are set to null together with the reference. */
  readonly emptiedToo: readonly string[];
}

/** All models of the service; a class, so that Nest can inject the registry. A relation may name an undeclared model. */
export abstract class ModelRegistry {
  abstract readonly models: readonly ModelDefinition[];
  /** Models that have endpoints. */
  abstract readonly servedModels: readonly ModelDefinition[];
  /** Returns the model `<app>.<model>`, or null if it is not declared. */
  abstract find(type: string): ModelDefinition | null;
  /** Returns the model served at `/api/<path>/`, or null. */
  abstract findByPath(path: string): ModelDefinition | null;
  /** Returns the help text of a field in OPTIONS, or null for a field without help text. */
  abstract getHelpText(type: string, field: string): string | null;
  /** Returns all references to the given model from any model. */
  abstract listReferencesToModel(type: string): readonly IncomingReference[];
}
