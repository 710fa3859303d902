import { botsPart } from './bots.snapshot.js';
import { olderSettingsPart, realmDefaultsPart, userSettingsPart } from './user-settings.snapshot.js';
import { ownUserPart, usersPart } from './users.snapshot.js';

/** Snapshot parts of users, bots and user settings. */
export const userSnapshotParts = [
  usersPart,
  ownUserPart,
  botsPart,
  userSettingsPart,
  realmDefaultsPart,
  olderSettingsPart,
];
