import { z } from 'zod';
import { apiKeyScope, type ApiKeyScope, apiKeyScopes } from '../../infra/http/api-key-scopes.js';

const unixSecondsSchema = z.int().nullable();

/** Schema of a scoped API key in the API. The schema does not contain the secret of the key. */
export const wireScopedKeySchema = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    scopes: z.array(apiKeyScope),
    date_created: z.int().meta({ description: 'UNIX time in seconds' }),
    expires_at: unixSecondsSchema.meta({ description: 'UNIX time in seconds; null if the key does not expire' }),
    last_used_at: unixSecondsSchema.meta({
      description: 'UNIX time in seconds, about a minute exact; null if the key was never used',
    }),
  })
  .meta({ id: 'ScopedApiKey' });

export type WireScopedKey = z.infer<typeof wireScopedKeySchema>;

/** SQL list of the columns of `api_keys` in the format of the API, for `SELECT` and `RETURNING` clauses. */
export const scopedKeyColumns = `id, name, scopes,
  floor(extract(epoch FROM created_at))::float8 AS date_created,
  floor(extract(epoch FROM expires_at))::float8 AS expires_at,
  floor(extract(epoch FROM last_used_at))::float8 AS last_used_at`;

/** Returns the given API key scopes without duplicates, sorted from `read` to `administer`. */
export function sortScopes(scopes: readonly ApiKeyScope[]): ApiKeyScope[] {
  return apiKeyScopes.filter((scope) => scopes.includes(scope));
}
