import type { InventoryActor } from '../engine/access.js';

/** The actor without credentials, if the service admits them (LOGIN_REQUIRED false). */
export const anonymous: InventoryActor = {
  id: 0,
  kind: 'anonymous',
  username: '',
  isSuperuser: false,
  mayWrite: false,
  permissions: [],
};
