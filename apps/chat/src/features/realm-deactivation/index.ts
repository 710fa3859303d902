export { realmDeactivationFeatureModule } from './realm-deactivation.slice.js';
export { deleteDueRealms, deleteRealmRows } from './delete-realms.js';
