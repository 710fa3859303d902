import type { Tx } from '@switchboard/database';

/** Name of the type of a custom field, such as `text` or `integer`. */
export type CustomFieldType =
  | 'text'
  | 'longtext'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'url'
  | 'json'
  | 'select'
  | 'multiselect'
  | 'object'
  | 'multiobject';

/** A custom field that users have defined for one or more models. */
export interface CustomField {
  readonly id: number;
  /** Database row of the custom field as JSON text. The text is compared to detect changes of the definition. */
  readonly definition: string;
  /** Name of the custom field, which consists of letters, digits and underscores. */
  readonly name: string;
  /**
   * Key under which objects of a model store the custom field's value. Each pair of field and model has a unique key.
   */
  readonly key: string;
  /**
   * Custom field value of objects without a stored value: the field's default at the time when the field was added to
   * the model. Null if the field had no default.
   */
  readonly initial: unknown;
  readonly type: CustomFieldType;
  /** Model (`<app>.<model>`) of the objects to which the custom field's values refer; null for other field types. */
  readonly relatedType: string | null;
  readonly required: boolean;
  readonly unique: boolean;
  /** Default value of the custom field in new objects; null for no default. */
  readonly defaultValue: unknown;
  /** Minimum value of a numeric custom field, as decimal text; null for no minimum. */
  readonly minimum: string | null;
  /** Maximum value of a numeric custom field, as decimal text; null for no maximum. */
  readonly maximum: string | null;
  /** Regular expression that a text value of the custom field must match from the start; '' for no expression. */
  readonly regex: string;
  /** JSON schema that a value of the custom field must match, or null for no schema. */
  readonly schema: unknown;
  readonly choiceSet: CustomFieldChoiceSet | null;
  readonly filterLogic: 'disabled' | 'loose' | 'exact';
}

/** A set of choices that custom fields can use. */
export interface CustomFieldChoiceSet {
  readonly id: number;
  /** Database row of the choice set as JSON text. The text is compared to detect changes of the choice set. */
  readonly definition: string;
  readonly name: string;
  readonly values: ReadonlySet<string>;
  /** Public code list whose codes are also choices of the choice set; null for no code list. */
  readonly base: { has(code: string): boolean } | null;
}

/** In-memory source of the custom field definitions of all models. */
export interface CustomFieldDefinitionSource {
  /**
   * Version number of the custom field definitions. The number increases with each change of a custom field, so that
   * data derived from the definitions can be invalidated.
   */
  readonly version: number;
  /** Returns the custom fields of a model in display order. */
  getFieldsOfModel(type: string): readonly CustomField[];
  /**
   * Reads the custom field definitions again if the definitions changed; otherwise returns without a database query.
   */
  waitUntilLoaded(): Promise<void>;
  /**
   * Locks custom fields and the choice sets of the fields against changes until the transaction ends. Must be called
   * before values of the fields are stored.
   *
   * @throws StaleCustomFieldsError if a field or choice set was changed or deleted since {@link waitUntilLoaded} read it
   */
  lockDefinitions(tx: Tx, fields: readonly CustomField[]): Promise<void>;
}

/**
 * Error thrown by a write if custom field definitions changed after the write had read the definitions. The write can
 * be retried.
 */
export class StaleCustomFieldsError extends Error {
  constructor() {
    super('Custom fields have changed since they were read');
    this.name = 'StaleCustomFieldsError';
  }
}

/** Maximum number of attempts for a write that is repeated because custom field definitions changed. */
const maxCustomFieldWriteAttempts = 5;

/**
 * Runs a write with current custom field definitions. Runs the write again if the definitions changed in the meantime.
 */
export async function writeWithCurrentCustomFields<T>(
  source: CustomFieldDefinitionSource,
  run: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    await source.waitUntilLoaded();
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StaleCustomFieldsError) || attempt === maxCustomFieldWriteAttempts) throw error;
    }
  }
}

/** A custom field source for tests and tools, without any custom fields. */
export const emptyCustomFieldDefinitionSource: CustomFieldDefinitionSource = {
  version: 0,
  getFieldsOfModel: () => [],
  waitUntilLoaded: () => Promise.resolve(),
  lockDefinitions: () => Promise.resolve(),
};
