import { deriveCredential } from '../benchmark-secrets.js';

/**
 * Users who send the measured requests: one with all permissions, and one who can view only objects of the first site.
 */
export type InventoryUser = 'superuser' | 'limited';

/** Key and secret of an API token. */
interface ApiToken {
  readonly key: string;
  readonly secret: string;
}

function deriveToken(user: InventoryUser): ApiToken {
  const secret = `${deriveCredential(`token of ${user}`)}${deriveCredential(`more of ${user}`).slice(0, 8)}`;
  return { key: deriveCredential(`key of ${user}`).slice(0, 12), secret };
}

/** API tokens that filled databases contain, by user. */
export const tokenByUser: Readonly<Record<InventoryUser, ApiToken>> = {
  superuser: deriveToken('superuser'),
  limited: deriveToken('limited'),
};

export function getAuthorization(user: InventoryUser): string {
  const { key, secret } = tokenByUser[user];
  return `Bearer nbt_${key}.${secret}`;
}
