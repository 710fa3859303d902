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

/** A custom field of some models. */
export interface CustomField {
  readonly id: number;
  /** The stored row as JSON text, compared to detect changes. */
  readonly definition: string;
  /** Letters, digits and underscores. */
  readonly name: string;
  /** Key under which objects of the model store their values, unique for each pair of field and model. */
  readonly key: string;
  /** Value of objects that have none stored: the default when the field was added to the model. Null for none. */
  readonly initial: unknown;
  readonly type: CustomFieldType;
  /** `<app>.<model>` of the objects that the values refer to. */
  readonly relatedType: string | null;
  readonly required: boolean;
  readonly unique: boolean;
  /** Value of new objects; null for none. */
  readonly defaultValue: unknown;
  /** Minimum of a number, a decimal as text; null for none. */
  readonly minimum: string | null;
  /** Maximum of a number, a decimal as text; null for none. */
  readonly maximum: string | null;
  /** Regular expression that a text must match from its start; '' for none. */
  readonly regex: string;
  /** JSON schema of the value. */
  readonly schema: unknown;
  readonly choiceSet: ChoiceSet | null;
  readonly filterLogic: 'disabled' | 'loose' | 'exact';
}

/** A set of choices of custom fields. */
export interface ChoiceSet {
  readonly id: number;
  /** The stored row as JSON text, compared to detect changes. */
  readonly definition: string;
  readonly name: string;
  readonly values: ReadonlySet<string>;
  /** A public code list whose codes are choices as well. */
  readonly base: { has(code: string): boolean } | null;
}

/** The custom fields of all models, in memory. */
export interface CustomFieldSource {
  /** Increases with each change of a custom field, to invalidate derived data. */
  readonly version: number;
  /** Returns the fields of a model in display order. */
  of(type: string): readonly CustomField[];
  /** Updates the cached fields if they changed. Costs nothing otherwise. */
  ready(): Promise<void>;
  /**
   * Locks fields and their choice sets against changes until the transaction ends. Call it before values of the fields
   * are stored.
   *
   * @throws StaleCustomFieldsError if one was changed or deleted since {@link ready} read it
   */
  lock(tx: Tx, fields: readonly CustomField[]): Promise<void>;
}

/**
 * Error for custom fields that changed between their read and the write that relies on them. The write can be retried.
 */
export class StaleCustomFieldsError extends Error {
  constructor() {
    super('Custom fields have changed since they were read');
    this.name = 'StaleCustomFieldsError';
  }
}

/** Maximum attempts of a write while custom fields keep changing. */
const maxAttempts = 5;

/** Runs a write with current custom fields. Runs it again if they changed meanwhile. */
export async function withCustomFields<T>(source: CustomFieldSource, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    await source.ready();
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StaleCustomFieldsError) || attempt === maxAttempts) throw error;
    }
  }
}

/** A source without custom fields. */
export const noCustomFields: CustomFieldSource = {
  version: 0,
  of: () => [],
  ready: () => Promise.resolve(),
  lock: () => Promise.resolve(),
};
