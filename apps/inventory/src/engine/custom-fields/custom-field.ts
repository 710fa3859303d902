import type { Tx } from '@switchboard/database';

/** Type of a custom field. */
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
  /** The field's database row as JSON text, compared to detect changes of the definition. */
  readonly definition: string;
  /** Name of the field: letters, digits and underscores. */
  readonly name: string;
  /** Key under which objects of the model store the field's value. It is unique for each pair of field and model. */
  readonly key: string;
  /**
   * Value of objects without a stored value: the field's default at the time when the field was added to the model.
   * Null if there was no default.
   */
  readonly initial: unknown;
  readonly type: CustomFieldType;
  /** Model (`<app>.<model>`) of the objects that the field's values refer to; null for other field types. */
  readonly relatedType: string | null;
  readonly required: boolean;
  readonly unique: boolean;
  /** Default value of the field in new objects; null for no default. */
  readonly defaultValue: unknown;
  /** Minimum value of a number field, a decimal as text; null for no minimum. */
  readonly minimum: string | null;
  /** Maximum value of a number field, a decimal as text; null for no maximum. */
  readonly maximum: string | null;
  /** Regular expression that a text value must match from its start; '' for no expression. */
  readonly regex: string;
  /** JSON schema that the value must match, or null. */
  readonly schema: unknown;
  readonly choiceSet: ChoiceSet | null;
  readonly filterLogic: 'disabled' | 'loose' | 'exact';
}

/** A set of choices of custom fields. */
export interface ChoiceSet {
  readonly id: number;
  /** The choice set's database row as JSON text, compared to detect changes. */
  readonly definition: string;
  readonly name: string;
  readonly values: ReadonlySet<string>;
  /** A public code list whose codes are also choices; null for no code list. */
  readonly base: { has(code: string): boolean } | null;
}

/** The custom fields of all models, in memory. */
export interface CustomFieldSource {
  /** Version of the definitions. It increases with each change of a custom field, to invalidate derived data. */
  readonly version: number;
  /** Returns the fields of a model in display order. */
  getFieldsOfModel(type: string): readonly CustomField[];
  /** Updates the cached fields if their definitions changed; otherwise returns without reading. */
  waitUntilLoaded(): Promise<void>;
  /**
   * Locks fields and their choice sets against changes until the transaction ends. Call it before values of the fields
   * are stored.
   *
   * @throws StaleCustomFieldsError if a field or choice set was changed or deleted since {@link waitUntilLoaded} read it
   */
  lockDefinitions(tx: Tx, fields: readonly CustomField[]): Promise<void>;
}

/** Error of a write if custom field definitions changed after the write had read them. The write can be retried. */
export class StaleCustomFieldsError extends Error {
  constructor() {
    super('Custom fields have changed since they were read');
    this.name = 'StaleCustomFieldsError';
  }
}

/** Maximum number of attempts of a write while custom fields change. */
const maxWriteAttempts = 5;

/**
 * Runs a write with current custom field definitions. Runs the write again if the definitions changed in the meantime.
 */
export async function runWithCustomFields<T>(source: CustomFieldSource, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    await source.waitUntilLoaded();
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StaleCustomFieldsError) || attempt === maxWriteAttempts) throw error;
    }
  }
}

/** A custom field source for tests and tools, without any custom fields. */
export const emptyCustomFieldSource: CustomFieldSource = {
  version: 0,
  getFieldsOfModel: () => [],
  waitUntilLoaded: () => Promise.resolve(),
  lockDefinitions: () => Promise.resolve(),
};
