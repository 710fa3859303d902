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
  /** The stored row as JSON text, by which a change is recognised. */
  readonly definition: string;
  /** Letters, digits and underscores. */
  readonly name: string;
  /** Key of the values of the model's objects, unique for each pair of field and model. */
  readonly key: string;
  /** Default value of objects without a stored one, fixed when the field was added to the model; null for none. */
  readonly initial: unknown;
  readonly type: CustomFieldType;
  /** `<app>.<model>` of the objects that it refers to. */
  readonly relatedType: string | null;
  readonly required: boolean;
  readonly unique: boolean;
  /** Value of new objects; null for none. */
  readonly defaultValue: unknown;
  /** Decimals as text. */
  readonly minimum: string | null;
  readonly maximum: string | null;
  /** Expression that a text must match from its start on; '' for any. */
  readonly regex: string;
  /** JSON schema of the value. */
  readonly schema: unknown;
  readonly choiceSet: ChoiceSet | null;
  readonly filterLogic: 'disabled' | 'loose' | 'exact';
}

/** Choices of a field. */
export interface ChoiceSet {
  readonly id: number;
  /** The stored row as JSON text, by which a change is recognised. */
  readonly definition: string;
  readonly name: string;
  readonly values: ReadonlySet<string>;
  /** A public code list whose codes can be chosen as well. */
  readonly base: { has(code: string): boolean } | null;
}

/** The custom fields of all models, in memory. */
export interface CustomFieldSource {
  /** Increases with each change of any field, to invalidate derived data. */
  readonly version: number;
  /** The fields of a model in the order in which they are shown. */
  of(type: string): readonly CustomField[];
  /** Ensures that the cached state is current. Costs nothing while nothing has changed. */
  ready(): Promise<void>;
  /**
   * Locks fields, and the choice sets that they use, against changes until the transaction ends. Call it before values
   * of them are stored.
   *
   * @throws StaleCustomFieldsError if one was changed or deleted since {@link ready} read it
   */
  lock(tx: Tx, fields: readonly CustomField[]): Promise<void>;
}

/** Custom fields were changed between their reading and the write that relies on them; the write can be repeated. */
export class StaleCustomFieldsError extends Error {
  constructor() {
    super('Custom fields have changed since they were read');
    this.name = 'StaleCustomFieldsError';
  }
}

/** Times that a write is run at most while custom fields keep changing under it. */
const mostAttempts = 5;

/** Runs a write with the custom fields of now, and again when they have changed meanwhile. */
export async function withCustomFields<T>(source: CustomFieldSource, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    await source.ready();
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StaleCustomFieldsError) || attempt === mostAttempts) throw error;
    }
  }
}

/** Catalog without custom fields. */
export const noCustomFields: CustomFieldSource = {
  version: 0,
  of: () => [],
  ready: () => Promise.resolve(),
  lock: () => Promise.resolve(),
};
