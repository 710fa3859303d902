import { attackSubjects } from './subjects-of-attacks.js';
import { inventorySubjects } from './inventory/index.js';
import { adminToken, signInToInventory } from './inventory/hostile-inventory-session.js';

attackSubjects({
  app: 'inventory',
  env: { DEMO_ADMIN_TOKEN: adminToken },
  subjects: inventorySubjects,
  signIn: signInToInventory,
});
