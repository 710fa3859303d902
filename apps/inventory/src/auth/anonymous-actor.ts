import type { InventoryActor } from '../engine/object-access.js';

/** Actor of requests without credentials. The service accepts such requests if LOGIN_REQUIRED is false. */
export const actorWithoutCredentials: InventoryActor = {
  id: 0,
  kind: 'anonymous',
  username: '',
  isSuperuser: false,
  mayWrite: false,
  permissions: [],
};
