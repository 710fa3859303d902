import type { Tx } from '@switchboard/database';
import type { InventoryActor } from '../inventory-actor.js';
import type { CustomFieldDefinitionSource } from '../custom-fields/custom-field.js';
import type { FilterValuesWithStatement, FilterLookupSuffix } from '../filter/filter-statement.js';
import type { JsonSchema } from '../meta/json-schema-of-values.js';
import type { RequestLimits } from '../request-limits.js';
import type { ModelHookServices } from '../model-hook-services.js';
import type { JsonTextFragment, SqlText } from '../sql/json-text-sql.js';
import type { UploadFieldFunctions } from '../uploads/uploaded-file.js';
import type { RelatedObjectLookup } from '../write/related-lookup.js';
import type { CompanionObjectsDeclaration } from './companion-objects.js';
import type { DerivedDataHook } from './derived-data-hook.js';
import type {
  RelatedObjectsBatchLookup,
  FieldDatabaseColumn,
  ReferencedTextSource,
  JoinTable,
  ChoiceValueAndLabel,
  SortValueTableSql,
  OwnedRowsTable,
  FieldPartsStorage,
  GenericReferenceTargetModels,
  FieldProperties,
} from './field-property-types.js';
import type {
  ModelConstraint,
  UnreferencedDeletionBlockers,
  ModelValueComputingHook,
  ModelWithIds,
  DefaultOrderTerm,
  ModelPrepareResult,
  ValidationMessagesByField,
  ModelSearchTerm,
  ColumnValuesBeforeAndAfter,
  AuditedFields,
} from './model-option-types.js';

/*
 * Types that refer to one another: a model has fields and filters, and these are made from the models and the registry.
 */

/** Context in which a field generates SQL: the field, the table alias and the SQL statement. */
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
  readonly customFields: CustomFieldDefinitionSource;
  /** SQL expression for the scheme and host with which URLs begin, already escaped for JSON. */
  readonly base: SqlText;
  /** Returns a table alias that the SQL statement does not use yet. */
  alias(): string;
  /** Lookup that loads the related objects of all rows of a page in one query; null to load them row by row. */
  readonly batchLookup: RelatedObjectsBatchLookup | null;
  /** Types of the objects that generic references of the page refer to; null if these types are not known. */
  readonly targetTypes: GenericReferenceTargetModels | null;
}

/** Context in which a field parses its value from a request body. */
export interface FieldInputContext {
  readonly name: string;
  readonly registry: ModelRegistry;
  readonly model: ModelDefinition;
}

/** Description of a field in OPTIONS, in addition to the general field properties (docs/contract/inventory.md 1.8). */
export interface FieldMetadata {
  readonly type: string;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly max_digits?: number;
  readonly decimal_places?: number;
  readonly choices?: readonly ChoiceValueAndLabel[] | ((registry: ModelRegistry) => readonly ChoiceValueAndLabel[]);
  /** Nested object that the field shows. OPTIONS lists the fields of the nested object as `children`. */
  readonly nested?: NestedObjectMetadata;
  /** Metadata of the list items of a field in the response to OPTIONS (docs/contract/inventory.md 1.8). */
  readonly child?: ListItemMetadata;
}

/**
 * Model (`<app>.<model>`) of a nested object, and the fields that the nested object shows. By default, the fields of
 * the model's nested representation.
 */
export interface NestedObjectMetadata {
  readonly of: string;
  readonly shape?: ModelFieldMap | readonly string[] | undefined;
}

/** Metadata of a list item in OPTIONS; see {@link FieldMetadata}. */
export interface ListItemMetadata {
  readonly type: string;
  readonly required: boolean;
  readonly read_only: boolean;
  readonly label?: string;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly choices?: readonly ChoiceValueAndLabel[];
  readonly nested?: NestedObjectMetadata;
  /** Members of a list item that is a JSON object of no declared model. */
  readonly children?: Readonly<Record<string, object>>;
}

/**
 * A field of a model. Each type of field is defined by a file in `field-types/`. The type parameter `Stored` is the
 * JavaScript type of the stored value, from which row types are derived.
 */
export interface ModelField<Stored = unknown> {
  readonly kind: string;
  readonly traits: FieldProperties;
  /** Returns the column that stores a field with the given name; null if the field is stored elsewhere or computed. */
  column(name: string): FieldDatabaseColumn | null;
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
   * Parses a value that a client sent for the field. The function is called only if the request contains the field.
   *
   * @throws InputProblem with the messages for the field
   */
  input(value: unknown, place: FieldInputContext): Stored | RelatedObjectLookup;
  /** Merges a sent value into the stored value of the field. Without this function, the sent value replaces it. */
  combine?(before: unknown, sent: unknown): unknown;
  readonly schema: { read(registry: ModelRegistry): JsonSchema; write(registry: ModelRegistry): JsonSchema };
  readonly metadata: FieldMetadata;
  /** Returns the filters that the field adds to the list endpoint of a model. */
  filters(name: string, registry: ModelRegistry, model: ModelDefinition): readonly ListFilter[];
  /** Returns SQL expressions that sort objects by the field. The list is empty if sorting is not supported. */
  order(place: FieldSqlContext): readonly SqlText[];
  /** Table expression with sort values, for fields that sort objects by a number computed for all rows together. */
  readonly orderedBy?: SortValueTableSql;
  /**
   * Function for references whose table contains copies of the target's sort values. Returns the SQL of the columns
   * with the copies. The columns sort rows in the order of the referenced objects without a join.
   */
  readonly storedOrder?: (alias: string) => readonly SqlText[];
  /**
   * True for references with an index on the reference's column and the id. A page of a list sorted by the reference
   * then reads few rows for each referenced object.
   */
  readonly isIndexedWithId?: boolean;
  /** True for references with an indexed column if many rows refer to one object; see `ListOrderByReference`. */
  readonly hasManyRows?: boolean;
  /** Source of the texts, for fields that show texts of other objects. */
  readonly foreignTexts?: ReferencedTextSource;
  /**
   * Name of the field that contains the type of a row, for fields whose JSON has one subquery for each of many types.
   * If the statement scope has `targetTypes`, the JSON contains only the subqueries for these types.
   */
  readonly variesByType?: string;
  /** Target models and options of the reference, for fields that refer to other objects. */
  readonly relation?: FieldRelation;
  /** Tag model and table of tag assignments, for fields that contain tags. */
  readonly tagTables?: { readonly type: string; readonly assignments: string };
  /** Set by file fields, whose column stores the path of the file, or '' without a file. */
  readonly upload?: UploadFieldFunctions;
  /** Table of pairs of related objects, for fields with a many-to-many relation. */
  readonly join?: JoinTable;
  /** Table of rows, for fields whose value is a list of rows that belong to the object. */
  readonly rows?: OwnedRowsTable;
  /** Set by fields that a database function stores as objects of another model. See `writeRelatedObjectsOfFields`. */
  readonly storedBy?: FieldPartsStorage;
  /** Set by encrypted texts: `shown` if statements return them, to be decrypted for users who can view the object. */
  readonly sealed?: 'hidden' | 'shown';
}

/** A reference from one model to another. */
export interface FieldRelation {
  readonly kind: 'ref' | 'generic' | 'tags' | 'many';
  /** Models (`<app>.<model>`) to which the reference may refer. A generic reference has several models. */
  readonly targets: readonly string[];
  readonly onDelete: 'protect' | 'cascade' | 'set_null';
  /** Names of further columns that are set to null when the reference is set to null. */
  readonly emptiedToo?: readonly string[];
  /** Name of the field that contains the model of the referenced object. Defined only for generic references. */
  readonly typeField?: string;
  /** Name of the field that contains the id of the referenced object. Defined only for generic references. */
  readonly idField?: string;
  /** Returns the error message for an id that does not exist; a general message when absent. */
  missingMessage?(id: number): string;
  /**
   * True if the deletion of the referenced object does not delete the referring object. A generic reference then
   * remains unchanged. The database sets a foreign key to null, without a change record.
   */
  readonly keepOnTargetDelete?: boolean;
  /** True if writes and filters treat referenced objects that the user may not view as nonexistent. */
  readonly viewedOnly?: boolean;
  /**
   * Models in `targets` of a generic reference whose objects cannot be deleted while a reference exists, regardless of
   * `onDelete`.
   */
  readonly protects?: readonly string[];
  /** Key and message of the error for a generic reference with a model but without an id. */
  readonly incomplete?: { readonly key: string; message(target: ModelDefinition): string };
  /** Key and message of the error for a generic reference to a nonexistent object. */
  readonly notFoundMessage?: { readonly key: string; message(target: ModelDefinition, id: number): string };
}

/** A model field whose stored type is unknown. */
export type AnyModelField = ModelField;

/** Fields of a model by name, in the order of responses. */
export type ModelFieldMap = Readonly<Record<string, AnyModelField>>;

type StoredFieldValue<F> = F extends ModelField<infer Stored> ? Stored : never;

/** Values of one filter in a query string, and the context in which the filter is compiled to SQL. */
export interface RequestedFilterValues extends FilterValuesWithStatement {
  /** Returns the SQL condition that the requesting user may view a row of the given model. */
  mayView(model: ModelDefinition, alias: string): SqlText;
}

/** A query parameter that filters the objects of a list. */
export interface ListFilter {
  readonly name: string;
  /** Lookups (suffixes of the parameter name, such as `__n`) that the filter supports in addition to equality. */
  readonly lookups: readonly FilterLookupSuffix[];
  /** True if all values of a repeated query parameter count. Otherwise only the last value counts. */
  readonly multiple: boolean;
  /** OpenAPI schema of one value of the filter. */
  readonly schema: JsonSchema;
  /** True if filtering may take long for any value. The list then counts as a heavy read. */
  readonly isHeavy?: boolean;
  /**
   * Returns the SQL condition that a row matches the filter, or null if the values of the filter are to be ignored.
   *
   * @throws InvalidFilterValueError if a value is invalid
   */
  compile(request: RequestedFilterValues): SqlText | null;
}

/**
 * Function that creates filters of a model after all models are declared. Returns an empty list if the filters need a
 * model that is not declared.
 */
export type ModelFilterFactory = (model: ModelDefinition, registry: ModelRegistry) => readonly ListFilter[];

/** Filters whose parameter names consist of a fixed prefix and an arbitrary suffix, such as a key of a JSON object. */
export interface FiltersWithPrefix {
  readonly prefix: string;
  /** Returns the list filter for the query parameter `<prefix><key>`. */
  filter(key: string): ListFilter;
}

/** Values of an object that is about to be stored, by field name. Validation rules receive this type. */
export type ObjectValuesToStore<F extends ModelFieldMap = ModelFieldMap> = {
  readonly [K in keyof F]?: StoredFieldValue<F[K]>;
};

/** Context of a model's validation rule: the row before the change, the model registry, and the limits of requests. */
interface ModelRuleContext<F extends ModelFieldMap = ModelFieldMap> {
  readonly previous: ObjectValuesToStore<F> | null;
  readonly registry: ModelRegistry;
  readonly limits: RequestLimits;
}

/** A rule as a method, so that rules of one model fit into collections for any model. */
interface ModelRuleFunction<F extends ModelFieldMap> {
  check(row: ObjectValuesToStore<F>, context: ModelRuleContext<F>): ValidationMessagesByField | null;
}

/** A rule that is checked before an object is written. Returns its error messages, or null if the object is valid. */
export type ModelRule<F extends ModelFieldMap = ModelFieldMap> = ModelRuleFunction<F>['check'];

/** Context of the hook `prepare`: the row before the write, the actor, services, and access to slow work. */
export interface PrepareHookContext<F extends ModelFieldMap = ModelFieldMap> {
  readonly previous: ObjectValuesToStore<F> | null;
  readonly actor: InventoryActor;
  readonly services: ModelHookServices;
  /**
   * Returns the result of slow work that needs no database connection, or undefined while the work has not been done.
   * In that case the write is rolled back and repeated after the work. Calls with the same key share the work.
   */
  ahead<T>(key: string, work: () => Promise<T>): Promise<T | undefined>;
}

/** Functions of a model that run before or after objects of the model are written. */
export interface ModelHooks<F extends ModelFieldMap = ModelFieldMap> {
  /** Computes values from other rows, such as the content of a file; see {@link ModelValueComputingHook}. */
  fill?: ModelValueComputingHook;
  /**
   * Checks a rule that reads other rows and cannot be a database constraint. Runs once for all objects of a write that
   * are valid so far, with the stored row of each (null for a new object). Returns null for each object that meets the
   * rule. Concurrent requests may both pass, so that strict rules belong in the database.
   */
  review?(
    tx: Tx,
    rows: readonly ObjectValuesToStore<F>[],
    previous: readonly (ObjectValuesToStore<F> | null)[],
  ): Promise<readonly (ValidationMessagesByField | null)[]>;
  /**
   * Runs after an object passed the validation rules and before the row of the object is written. Slow work, such as
   * password hashing, uses `context.ahead`.
   *
   * @throws ApplicationError if the actor may not write the object
   */
  prepare?(row: ObjectValuesToStore<F>, context: PrepareHookContext<F>): Promise<ModelPrepareResult>;
  /**
   * Acquires all locks that the model's database triggers will need, in a fixed order, so that concurrent bulk writes
   * do not deadlock. Runs once per write, before the rows are stored.
   */
  lock?(tx: Tx, writes: readonly ColumnValuesBeforeAndAfter[]): Promise<void>;
  /** Declaration of the objects (companions) that are created along with new objects of the model. */
  companions?: CompanionObjectsDeclaration;
  /**
   * Returns other objects that database triggers change along with a write, so that the changes of these objects are
   * also recorded. Runs once per write, before the rows are stored.
   */
  triggerSideEffects?(tx: Tx, writes: readonly ColumnValuesBeforeAndAfter[]): Promise<readonly ModelWithIds[]>;
  /** Derived data of other objects that depends on objects of this model. */
  derived?: DerivedDataHook;
}

/** SQL expressions of JSON text by the name of a change record's member; see `ModelOptions.changeLogMembers`. */
export type ChangeRecordMemberSql = Readonly<Record<string, (alias: string, model: ModelDefinition) => SqlText>>;

/** A declared model, in which default values replace absent options. */
export interface ModelDefinition {
  /** Name of the model in the form `<app>.<model>`. */
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
  readonly search: readonly ModelSearchTerm[];
  readonly constraints: readonly ModelConstraint[];
  readonly rules: readonly ModelRule[];
  readonly hooks: ModelHooks;
  readonly extraDeleteBlockers: readonly UnreferencedDeletionBlockers[];
  readonly filters: readonly (ListFilter | ModelFilterFactory)[];
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
  readonly changeLogMembers: ChangeRecordMemberSql;
  readonly methods: { readonly list: readonly string[]; readonly detail: readonly string[] };
}

/** A reference from another model to a given model. */
export interface ReferenceToModel {
  readonly model: ModelDefinition;
  readonly fieldName: string;
  readonly kind: 'ref' | 'generic';
  readonly onDelete: 'protect' | 'cascade' | 'set_null';
  /** Column of the referring table that stores the id of the referenced object. */
  readonly idColumn: string;
  /** Column that stores the referenced model (`<app>.<model>`); null unless the reference is generic. */
  readonly typeColumn: string | null;
  /** Names of further columns that are set to null when the reference is set to null. */
  readonly emptiedToo: readonly string[];
}

/** All models of the service; a class, so that Nest can inject the registry. A relation may name an undeclared model. */
export abstract class ModelRegistry {
  abstract readonly models: readonly ModelDefinition[];
  /** Models in the registry that have API endpoints. */
  abstract readonly servedModels: readonly ModelDefinition[];
  /** Returns the model with the name `<app>.<model>`, or null if the model is not declared. */
  abstract find(type: string): ModelDefinition | null;
  /** Returns the model that is served at `/api/<path>/`, or null if no model has the path. */
  abstract findByPath(path: string): ModelDefinition | null;
  /** Returns the help text of a field for OPTIONS responses, or null for a field without help text. */
  abstract getHelpText(type: string, field: string): string | null;
  abstract listReferencesToModel(type: string): readonly ReferenceToModel[];
}
