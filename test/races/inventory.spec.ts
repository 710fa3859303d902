import { InventoryWorld } from './inventory/inventory-world.js';
import { changePairs } from './inventory/pairs/changes.js';
import { deletionPairs } from './inventory/pairs/deletions.js';
import { raceSuite } from './race-suite.js';

raceSuite('inventory', [...deletionPairs, ...changePairs], () => InventoryWorld.start());
