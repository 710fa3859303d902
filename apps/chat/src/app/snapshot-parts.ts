import { channelFolderSnapshotParts } from '../features/channel-folders/index.js';
import { channelSnapshotParts } from '../core/channels/index.js';
import { linkifierSnapshotParts } from '../features/linkifiers/index.js';
import { messageSnapshotParts } from '../core/messages/index.js';
import { realmSnapshotParts } from '../core/realms/index.js';
import { userGroupSnapshotParts } from '../core/user-groups/index.js';
import { userSnapshotParts } from '../core/users/index.js';
import { customEmojiSnapshotParts } from '../features/custom-emoji/index.js';
import { draftSnapshotParts } from '../features/drafts/index.js';
import { savedSnippetSnapshotParts } from '../features/saved-snippets/index.js';
import { navigationViewSnapshotParts } from '../features/navigation-views/index.js';
import { userStatusSnapshotParts } from '../features/user-status/index.js';
import { profileFieldSnapshotParts } from '../features/profile-fields/index.js';
import { realmDomainSnapshotParts } from '../features/realm-domains/index.js';
import { alertWordSnapshotParts } from '../features/alert-words/index.js';
import { mutedUserSnapshotParts } from '../features/muted-users/index.js';
import { presenceSnapshotParts } from '../features/presence/index.js';
import { deviceSnapshotParts } from '../features/devices/index.js';
import { videoCallSnapshotParts } from '../features/video-calls/index.js';
import { emptySnapshotParts } from './empty-snapshot-parts.js';
import type { SnapshotPart } from '../events/snapshot-part.js';

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
