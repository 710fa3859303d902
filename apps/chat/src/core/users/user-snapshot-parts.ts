import { botsSnapshotPart } from './bots.snapshot.js';
import {
  olderSettingsSnapshotPart,
  realmDefaultsSnapshotPart,
  userSettingsSnapshotPart,
} from './user-settings.snapshot.js';
import { ownUserSnapshotPart, usersSnapshotPart } from './users.snapshot.js';

/** Parts of the POST /register response aboutusers, bots and user settings. */
export const userSnapshotParts = [
  usersSnapshotPart,
  ownUserSnapshotPart,
  botsSnapshotPart,
  userSettingsSnapshotPart,
  realmDefaultsSnapshotPart,
  olderSettingsSnapshotPart,
];
