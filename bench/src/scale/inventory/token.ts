import { credentialOf } from '../secrets.js';

/** Both halves of the token that every request sends. */
export const inventoryToken = {
  key: credentialOf('inventory token key').slice(0, 12),
  secret: `${credentialOf('inventory token')}${credentialOf('second half').slice(0, 8)}`,
} as const;

export const authorization = `Bearer nbt_${inventoryToken.key}.${inventoryToken.secret}`;
