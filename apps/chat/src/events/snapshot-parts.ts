import { channelFolderSnapshotParts } from '../modules/channel-folders/index.js';
import { channelSnapshotParts } from '../modules/channels/index.js';
import { linkifierSnapshotParts } from '../modules/linkifiers/index.js';
import { messageSnapshotParts } from '../modules/messages/index.js';
import { realmSnapshotParts } from '../modules/realms/index.js';
import { userGroupSnapshotParts } from '../modules/user-groups/index.js';
import { userSnapshotParts } from '../modules/users/index.js';
import { customEmojiSnapshotParts } from '../modules/custom-emoji/index.js';
import { draftSnapshotParts } from '../modules/drafts/index.js';
import { savedSnippetSnapshotParts } from '../modules/saved-snippets/index.js';
import { navigationViewSnapshotParts } from '../modules/navigation-views/index.js';
import { userStatusSnapshotParts } from '../modules/user-status/index.js';
import { profileFieldSnapshotParts } from '../modules/profile-fields/index.js';
import { realmDomainSnapshotParts } from '../modules/realm-domains/index.js';
import { alertWordSnapshotParts } from '../modules/alert-words/index.js';
import { mutedUserSnapshotParts } from '../modules/muted-users/index.js';
import { presenceSnapshotParts } from '../modules/presence/index.js';
import { deviceSnapshotParts } from '../modules/devices/index.js';
import { videoCallSnapshotParts } from '../modules/video-calls/index.js';
import { emptySnapshotParts } from './empty-snapshot-parts.js';
import type { SnapshotPart } from './snapshot-part.js';

/** Everything that POST /register may answer with. Each module declares its own in its `*.snapshot.ts`. */
export const snapshotParts: readonly SnapshotPart[] = [
  ...realmSnapshotParts,
  ...userSnapshotParts,
  ...userGroupSnapshotParts,
  ...channelSnapshotParts,
  ...channelFolderSnapshotParts,
  ...linkifierSnapshotParts,
  ...messageSnapshotParts,
  ...customEmojiSnapshotParts,
  ...draftSnapshotParts,
  ...savedSnippetSnapshotParts,
  ...navigationViewSnapshotParts,
  ...userStatusSnapshotParts,
  ...profileFieldSnapshotParts,
  ...realmDomainSnapshotParts,
  ...alertWordSnapshotParts,
  ...mutedUserSnapshotParts,
  ...presenceSnapshotParts,
  ...deviceSnapshotParts,
  ...videoCallSnapshotParts,
  ...emptySnapshotParts,
];
