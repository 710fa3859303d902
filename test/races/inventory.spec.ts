import { InventoryWorld } from './inventory/race-test-inventory-data.js';
import { changePairs } from './inventory/pairs/change-race-pairs.js';
import { deletionPairs } from './inventory/pairs/deletion-race-pairs.js';
import { raceSuite } from './race-suite.js';

raceSuite('inventory', [...deletionPairs, ...changePairs], () => InventoryWorld.start());
