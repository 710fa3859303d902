import { attackSubjects } from './attack-subjects.js';
import { inventorySubjects } from './inventory/index.js';
import { adminToken, signInToInventory } from './inventory/session.js';

attackSubjects({
  app: 'inventory',
  env: { DEMO_ADMIN_TOKEN: adminToken },
  subjects: inventorySubjects,
  signIn: signInToInventory,
});
