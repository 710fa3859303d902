import type { ChatActor } from '../../../access/actor.js';
import type { ApiKeys } from '../../../access/api-keys.js';
import type { SqlReader } from '../../../access/sql-reader.js';
import type { ChatConfig } from '../../../config.js';
import type { ParametersOf } from '../../../http/parameter-decorators.js';
import type { RealmRecord } from '../../realms/index.js';
import type { GroupSettingValues, SystemGroups, UserGroupRow } from '../../user-groups/index.js';
import type { UserSettings } from '../../users/index.js';
import type { UserRecord } from '../../users/index.js';
import type { registerParameters } from '../register.schemas.js';

/** What every part of a snapshot reads with. */
export interface SnapshotContext {
  /** One unchanging view of the database: nothing in a snapshot may come from anywhere else. */
  readonly tx: SqlReader;
  readonly actor: ChatActor;
  readonly parameters: ParametersOf<typeof registerParameters>;
  /** Whether the client fetches a type (chat-contract 4.2). */
  readonly wants: (...types: string[]) => boolean;
  /** Whether the client named its types; some older fields appear only then. */
  readonly namesTypes: boolean;
  /** Scheme and host by which the client reached us. */
  readonly origin: string;
  readonly config: ChatConfig;
  readonly apiKeys: ApiKeys;
  /** When this process started, in UNIX seconds. */
  readonly serverGeneration: number;
}

/** What more than one part needs, read once. */
export interface SnapshotBasics {
  readonly realm: RealmRecord;
  readonly users: readonly UserRecord[];
  readonly ownSettings: UserSettings;
  readonly groups: readonly UserGroupRow[];
  readonly systemGroups: SystemGroups;
  readonly values: GroupSettingValues;
}

/** Whether a client that fetches `types` (null: all) wants one of these. */
export function wantsOf(types: readonly string[] | null): (...wanted: string[]) => boolean {
  if (types === null) return () => true;
  const fetched = new Set(types);
  return (...wanted) => wanted.some((type) => fetched.has(type));
}
