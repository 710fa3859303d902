import { ownBotsSnapshotPart } from './bots.snapshot.js';
import {
  olderUserSettingsSnapshotPart,
  defaultUserSettingsSnapshotPart,
  userSettingsSnapshotPart,
} from './user-settings.snapshot.js';
import { ownUserSnapshotPart, usersSnapshotPart } from './users.snapshot.js';

/** Parts of the POST /register response about users, bots and user settings. */
export const userSnapshotParts = [
  usersSnapshotPart,
  ownUserSnapshotPart,
  ownBotsSnapshotPart,
  userSettingsSnapshotPart,
  defaultUserSettingsSnapshotPart,
  olderUserSettingsSnapshotPart,
];
