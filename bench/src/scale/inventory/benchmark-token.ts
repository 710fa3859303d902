import { deriveCredentialFromName } from '../benchmark-secrets.js';

/**
 * Users who send the measured requests: a user with all permissions, and a user who can view only objects of the first
 * site.
 */
export type BenchmarkInventoryUser = 'superuser' | 'limited';

/** Public key and secret of an API token. */
interface InventoryApiToken {
  readonly key: string;
  readonly secret: string;
}

function deriveInventoryApiToken(user: BenchmarkInventoryUser): InventoryApiToken {
  const secret = `${deriveCredentialFromName(`token of ${user}`)}${deriveCredentialFromName(`more of ${user}`).slice(0, 8)}`;
  return { key: deriveCredentialFromName(`key of ${user}`).slice(0, 12), secret };
}

/** API tokens in the filled databases, by the user to whom the token belongs. */
export const apiTokenByInventoryUser: Readonly<Record<BenchmarkInventoryUser, InventoryApiToken>> = {
  superuser: deriveInventoryApiToken('superuser'),
  limited: deriveInventoryApiToken('limited'),
};

export function getAuthorizationHeader(user: BenchmarkInventoryUser): string {
  const { key, secret } = apiTokenByInventoryUser[user];
  return `Bearer nbt_${key}.${secret}`;
}
