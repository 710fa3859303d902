import { ChatWorld } from './chat/chat-world.js';
import { channelPairs } from './chat/pairs/channels.js';
import { messagePairs } from './chat/pairs/messages.js';
import { accountPairs } from './chat/pairs/people.js';
import { scheduledMessagePairs } from './chat/pairs/scheduled-messages.js';
import { settingsPairs } from './chat/pairs/settings.js';
import { raceSuite } from './race-suite.js';

const pairs = [...messagePairs, ...channelPairs, ...accountPairs, ...settingsPairs, ...scheduledMessagePairs];

raceSuite('chat', pairs, (settings) => ChatWorld.start(settings));
