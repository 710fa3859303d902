import type { Tx } from '@switchboard/database';
import { createJsonSchemaValidator } from '../../engine/custom-fields/check-custom-field-value.js';
import type { ValidationMessagesByField } from '../../engine/declaration/define-model.js';

/** Profile and data of a config context. The data is checked against the JSON schema of the profile. */
interface ConfigContextWithProfile {
  readonly profile?: number | null;
  readonly data?: unknown;
}

/**
 * Checks the data of config contexts against the JSON schemas of their profiles. Locks the rows of the profiles, so
 * that other transactions cannot change the schemas meanwhile.
 */
export async function checkConfigContextData(
  tx: Tx,
  rows: readonly ConfigContextWithProfile[],
): Promise<readonly (ValidationMessagesByField | null)[]> {
  const profiles = [...new Set(rows.flatMap(({ profile }) => profile ?? []))];
  if (profiles.length === 0) return [];
  const { rows: found } = await tx.query<{ id: number; schema: unknown }>(
    'SELECT id, schema FROM extras_configcontextprofile WHERE id = ANY ($1::bigint[]) ORDER BY id FOR SHARE',
    [profiles],
  );
  const schemas = new Map(found.map(({ id, schema }) => [id, createJsonSchemaValidator(schema)]));
  return rows.map(({ profile, data }) => {
    const [issue] = schemas.get(profile ?? 0)?.safeParse(data).error?.issues ?? [];
    if (issue === undefined) return null;
    const at = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
    return { __all__: [`Data does not conform to profile schema: ${at}${issue.message}`] };
  });
}
