import { z } from 'zod';
import { apiKeyScopeSchema, type ApiKeyScope, apiKeyScopes } from '../../infra/http/api-key-scopes.js';

const nullableUnixSecondsSchema = z.int().nullable();

/** Schema of a scoped API key in the API. The schema does not contain the secret of the key. */
export const wireScopedApiKeySchema = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    scopes: z.array(apiKeyScopeSchema),
    date_created: z.int().meta({ description: 'UNIX time in seconds' }),
    expires_at: nullableUnixSecondsSchema.meta({
      description: 'UNIX time in seconds; null if the key does not expire',
    }),
    last_used_at: nullableUnixSecondsSchema.meta({
      description: 'UNIX time in seconds, about a minute exact; null if the key was never used',
    }),
  })
  .meta({ id: 'ScopedApiKey' });

export type WireScopedApiKey = z.infer<typeof wireScopedApiKeySchema>;

/** SQL list of the columns of `api_keys` in the format of the API, for `SELECT` and `RETURNING` clauses. */
export const scopedKeyColumns = `id, name, scopes,
  floor(extract(epoch FROM created_at))::float8 AS date_created,
  floor(extract(epoch FROM expires_at))::float8 AS expires_at,
  floor(extract(epoch FROM last_used_at))::float8 AS last_used_at`;

/** Returns the given API key scopes without duplicates, sorted from `read` to `administer`. */
export function sortScopes(scopes: readonly ApiKeyScope[]): ApiKeyScope[] {
  return apiKeyScopes.filter((scope) => scopes.includes(scope));
}
