import { ChatWorld } from './chat/race-test-chat-data.js';
import { channelPairs } from './chat/pairs/channel-race-pairs.js';
import { credentialPairs } from './chat/pairs/credential-race-pairs.js';
import { messagePairs } from './chat/pairs/message-race-pairs.js';
import { organizationPairs } from './chat/pairs/organization-race-pairs.js';
import { accountPairs } from './chat/pairs/user-race-pairs.js';
import { scheduledMessagePairs } from './chat/pairs/scheduled-message-race-pairs.js';
import { settingsPairs } from './chat/pairs/settings-race-pairs.js';
import { uploadPairs } from './chat/pairs/upload-race-pairs.js';
import { raceSuite } from './race-suite.js';

const pairs = [
  ...messagePairs,
  ...channelPairs,
  ...accountPairs,
  ...settingsPairs,
  ...scheduledMessagePairs,
  ...organizationPairs,
  ...credentialPairs,
  ...uploadPairs,
];

raceSuite('chat', pairs, (settings) => ChatWorld.start(settings));
