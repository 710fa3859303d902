export { realmDeactivationSlice } from './realm-deactivation.slice.js';
export { deleteDueRealms } from './delete-realms.js';
