import { exportedChannelTables } from './channel-tables.js';
import type { ExportedTable } from './exported-table.js';
import { exportedGroupTables } from './group-tables.js';
import { exportedMessageTables } from './message-tables.js';
import { exportedPersonalTables } from './personal-tables.js';
import { exportedRealmTables } from './realm-tables.js';
import { exportedUserTables } from './user-tables.js';

/**
 * Names of tables that this service exports without rows, because Zulip's importer reads these tables. The service does
 * not have the data of the tables, or the data contain secrets.
 */
const emptyTables = [
  'zerver_useractivity',
  'zerver_useractivityinterval',
  'zerver_botconfigdata',
  'zerver_onboardingusermessage',
  'zerver_realmexport',
  'zerver_externalauthid',
];

/** All tables of the archive file `realm.json`, in the order in which the tables are written. */
export const exportedTables: readonly ExportedTable[] = [
  ...exportedRealmTables,
  ...exportedUserTables,
  ...exportedGroupTables,
  ...exportedChannelTables,
  ...exportedPersonalTables,
  ...exportedMessageTables,
  ...emptyTables.map((name) => ({ name, sources: [] })),
];
