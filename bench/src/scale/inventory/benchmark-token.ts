import { deriveCredential } from '../benchmark-secrets.js';

/**
 * Users who send the measured requests: a user with all permissions, and a user who can view only objects of the first
 * site.
 */
export type InventoryUser = 'superuser' | 'limited';

/** Public key and secret of an API token. */
interface ApiToken {
  readonly key: string;
  readonly secret: string;
}

function deriveToken(user: InventoryUser): ApiToken {
  const secret = `${deriveCredential(`token of ${user}`)}${deriveCredential(`more of ${user}`).slice(0, 8)}`;
  return { key: deriveCredential(`key of ${user}`).slice(0, 12), secret };
}

/** API tokens in the filled databases, by the user to whom the token belongs. */
export const tokenByUser: Readonly<Record<InventoryUser, ApiToken>> = {
  superuser: deriveToken('superuser'),
  limited: deriveToken('limited'),
};

export function getAuthorization(user: InventoryUser): string {
  const { key, secret } = tokenByUser[user];
  return `Bearer nbt_${key}.${secret}`;
}
