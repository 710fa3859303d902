import type { CredentialInvalidationNotifier } from '@switchboard/auth';
import type { CachedDataChangeChecker, DatabaseSnapshotStamp, SqlStatementExecutor, Tx } from '@switchboard/database';
import {
  type CustomField,
  type CustomFieldDefinitionSource,
  StaleCustomFieldsError,
} from '../engine/custom-fields/custom-field.js';
import { loadCodeListChoices } from './base-choice-lists.js';

/** Name of the invalidation messages that server processes send when custom field definitions change. */
const customFieldsInvalidationTag = 'custom-fields';

interface CustomFieldDefinitionRow extends Omit<CustomField, 'choiceSet' | 'key' | 'initial'> {
  /**
   * Models that have the custom field. For each model, the key under which objects store the field's value, and the
   * value of objects without a stored value.
   */
  readonly pairs: readonly { readonly type: string; readonly key: string; readonly initial: unknown }[];
  readonly choiceSet: {
    readonly id: number;
    readonly definition: string;
    readonly name: string;
    readonly values: readonly string[];
    readonly base: string | null;
  } | null;
}

const loadCustomFieldDefinitionsSql = `SELECT f.id, to_jsonb(f)::text AS definition, f.name, f.type, f.related_object_type AS "relatedType", f.required, f."unique",
    f."default" AS "defaultValue", f.validation_minimum::text AS minimum, f.validation_maximum::text AS maximum,
    f.validation_regex AS regex, f.validation_schema AS schema, f.filter_logic AS "filterLogic",
    (SELECT coalesce(json_agg(json_build_object('type', p.object_type, 'key', '#' || p.id, 'initial', p.initial) ORDER BY p.id), '[]')
      FROM extras_customfield_pair p WHERE p.custom_field_id = f.id) AS pairs,
    CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'definition', to_jsonb(c)::text, 'name', c.name, 'base', c.base_choices, 'values',
      (SELECT coalesce(json_agg(pair -> 0), '[]') FROM jsonb_array_elements(c.extra_choices) pair)) END AS "choiceSet"
  FROM extras_customfield f LEFT JOIN extras_customfieldchoiceset c ON c.id = f.choice_set_id ORDER BY f.weight, f.name`;

/**
 * Database state in which custom field definitions were read. A response that was built with the definitions is cached
 * together with this state.
 */
export interface CustomFieldDefinitionsReadState {
  /** State of the custom field tables before the definitions were read. */
  readonly stamp: DatabaseSnapshotStamp;
  /** SQL text of the statement that read the definitions. */
  readonly statement: string;
}

/**
 * Dependencies of {@link CustomFieldCatalog}. Without `checks`, responses that depend on custom field definitions are
 * not cached.
 */
export interface CustomFieldCatalogOptions {
  readonly database: SqlStatementExecutor;
  readonly invalidations: CredentialInvalidationNotifier;
  readonly checks?: Pick<CachedDataChangeChecker, 'readCurrentStamp'> | undefined;
}

/**
 * Cache of the custom fields of all models, valid until a definition changes. While invalidation messages may be lost,
 * each request reads the definitions again.
 */
export class CustomFieldCatalog implements CustomFieldDefinitionSource {
  #version = 0;
  #byType = new Map<string, CustomField[]>();
  /** JSON text of the custom field definitions that were read last; null if the definitions may be outdated. */
  #known: string | null = null;
  #seen = '[]';
  #epoch = 0;
  #load: Promise<void> | null = null;
  #loaded: CustomFieldDefinitionsReadState | null = null;

  constructor(private readonly parts: CustomFieldCatalogOptions) {
    parts.invalidations.listen({
      invalidated: (invalidateEverywhere) => {
        if (invalidateEverywhere === customFieldsInvalidationTag) this.invalidateLocally();
      },
      lost: () => this.invalidateLocally(),
    });
  }

  get version(): number {
    return this.#version;
  }

  /**
   * State of the last read of the custom field definitions; each read creates a new object. Null while the definitions
   * may be outdated.
   */
  get lastReadState(): CustomFieldDefinitionsReadState | null {
    return this.#loaded;
  }

  /** Returns the custom fields of a model; see {@link CustomFieldDefinitionSource}. */
  getFieldsOfModel(type: string): readonly CustomField[] {
    return this.#byType.get(type) ?? [];
  }

  /**
   * Reads the custom field definitions from the database if the cached definitions may be outdated; see
   * {@link CustomFieldDefinitionSource}.
   */
  async waitUntilLoaded(): Promise<void> {
    if (this.#isCurrent) return;
    const isEarlier = this.#load !== null;
    await this.#readOnce();
    // An earlier read may have begun before a change that an invalidation has reported during the read.
    if (isEarlier && !this.#isCurrent) await this.#readOnce();
  }

  get #isCurrent(): boolean {
    return this.#known !== null && this.parts.invalidations.isConnected();
  }

  /** Reads the custom field definitions, or waits for a read that is in progress. */
  async #readOnce(): Promise<void> {
    const running = this.#load ?? this.#readDefinitions();
    this.#load = running;
    try {
      await running;
    } finally {
      if (this.#load === running) this.#load = null;
    }
  }

  /** Locks custom fields and the choice sets of the fields against changes; see {@link CustomFieldDefinitionSource}. */
  async lockDefinitions(tx: Tx, fields: readonly CustomField[]): Promise<void> {
    const sets = fields.flatMap(({ choiceSet }) => choiceSet ?? []);
    const isCurrent = await Promise.all([
      lockUnchangedRows(tx, 'extras_customfield', fields),
      lockUnchangedRows(tx, 'extras_customfieldchoiceset', sets),
    ]);
    if (isCurrent.every(Boolean)) return;
    this.invalidateLocally();
    throw new StaleCustomFieldsError();
  }

  /**
   * Invalidates the cached custom field definitions in all processes, after a change of custom fields or choice sets.
   * Never rejects.
   */
  async invalidateAllProcesses(): Promise<void> {
    this.invalidateLocally();
    await this.parts.invalidations.publish(customFieldsInvalidationTag);
  }

  async #readDefinitions(): Promise<void> {
    const epoch = this.#epoch;
    // Without a stamp the definitions can serve requests, but no response is cached with them.
    const stamp = await this.parts.checks?.readCurrentStamp().catch(() => undefined);
    const { rows } = await this.parts.database.query<CustomFieldDefinitionRow>({
      name: 'custom_fields',
      text: loadCustomFieldDefinitionsSql,
    });
    const names = new Set(rows.flatMap(({ choiceSet }) => choiceSet?.base ?? []));
    const bases = new Map(
      await Promise.all([...names].map(async (name) => [name, await loadCodeListChoices(name)] as const)),
    );
    const text = JSON.stringify(rows);
    this.#known = epoch === this.#epoch ? text : null;
    this.#loaded =
      this.#known === null || stamp === undefined ? null : { stamp, statement: loadCustomFieldDefinitionsSql };
    if (text === this.#seen) return;
    this.#seen = text;
    this.#version += 1;
    this.#byType = new Map();
    for (const { pairs, choiceSet, ...field } of rows) {
      const base = choiceSet?.base ? (bases.get(choiceSet.base) ?? null) : null;
      const set = choiceSet === null ? null : { ...choiceSet, base, values: new Set(choiceSet.values) };
      for (const { type, key, initial } of pairs) {
        const fields = this.#byType.get(type) ?? [];
        fields.push({ ...field, key, initial, choiceSet: set });
        this.#byType.set(type, fields);
      }
    }
  }

  /**
   * Marks the cached custom field definitions of this process as outdated. The next {@link waitUntilLoaded} reads the
   * definitions again.
   */
  invalidateLocally(): void {
    this.#epoch += 1;
    this.#known = null;
    this.#loaded = null;
    // Later requests must not wait for a read that began before the invalidation.
    this.#load = null;
  }
}

/**
 * Locks database rows against changes. Returns true if all given rows still exist and have not changed since the
 * definitions were read.
 */
async function lockUnchangedRows(
  tx: Tx,
  table: string,
  rows: readonly { readonly id: number; readonly definition: string }[],
): Promise<boolean> {
  if (rows.length === 0) return true;
  const known = new Map(rows.map(({ id, definition }) => [id, definition]));
  const { rows: locked } = await tx.query<{ id: number; definition: string }>(
    `SELECT id, to_jsonb(f)::text AS definition FROM ${table} f WHERE id = ANY ($1::bigint[]) ORDER BY id FOR SHARE`,
    [[...known.keys()]],
  );
  return locked.length === known.size && locked.every(({ id, definition }) => known.get(id) === definition);
}
