export { readReceiptsFeatureModule } from './read-receipts.slice.js';
