import type { InventoryActor } from '../engine/access.js';

/** Somebody without credentials, where the service lets such people in (LOGIN_REQUIRED false). */
export const anonymous: InventoryActor = {
  id: 0,
  kind: 'anonymous',
  username: '',
  isSuperuser: false,
  mayWrite: false,
  permissions: [],
};
