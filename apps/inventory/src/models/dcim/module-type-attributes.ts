import type { Tx } from '@switchboard/database';
import { createJsonSchemaValidator } from '../../engine/custom-fields/check-custom-field-value.js';
import type { ValidationMessagesByField } from '../../engine/declaration/define-model.js';

/** Values of a module type for the check of its attributes against the JSON schema of its profile. */
interface ModuleTypeAttributesRow {
  readonly profile?: number | null;
  readonly attributes?: unknown;
}

/**
 * Checks the attributes of module types against the JSON schemas of their profiles. If a profile has no schema, nothing
 * is checked, and the database stores no attributes.
 */
export async function checkModuleTypeAttributes(
  tx: Tx,
  rows: readonly ModuleTypeAttributesRow[],
): Promise<readonly (ValidationMessagesByField | null)[]> {
  const profiles = [...new Set(rows.flatMap(({ profile }) => profile ?? []))];
  if (profiles.length === 0) return [];
  const { rows: found } = await tx.query<{ id: number; schema: unknown }>(
    'SELECT id, schema FROM dcim_moduletypeprofile WHERE id = ANY ($1::bigint[])',
    [profiles],
  );
  const schemas = new Map(found.map(({ id, schema }) => [id, schema]));
  return rows.map(({ profile, attributes }) => listModuleTypeAttributeProblems(attributes, schemas.get(profile ?? 0)));
}

function listModuleTypeAttributeProblems(attributes: unknown, schema: unknown): ValidationMessagesByField | null {
  if (schema === null || schema === undefined || Object.keys(schema).length === 0) return null;
  // Missing attributes are valid unless the schema requires a type: its other keywords apply to objects.
  if ((attributes ?? null) === null && !('type' in Object(schema))) return null;
  const result = createJsonSchemaValidator(schema)?.safeParse(attributes ?? null);
  if (result === undefined || result.success) return null;
  const [issue] = result.error.issues;
  const at = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return { __all__: [`Invalid schema: ${at}${issue?.message ?? ''}`] };
}
