import type { InventoryActor } from '../engine/object-access.js';

/** Actor of requests without credentials, if the service accepts them (LOGIN_REQUIRED is false). */
export const anonymousActor: InventoryActor = {
  id: 0,
  kind: 'anonymous',
  username: '',
  isSuperuser: false,
  mayWrite: false,
  permissions: [],
};
