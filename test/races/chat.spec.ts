import { ChatWorld } from './chat/chat-world.js';
import { channelPairs } from './chat/pairs/channels.js';
import { messagePairs } from './chat/pairs/messages.js';
import { accountPairs } from './chat/pairs/people.js';
import { settingsPairs } from './chat/pairs/settings.js';
import { raceSuite } from './race-suite.js';

raceSuite('chat', [...messagePairs, ...channelPairs, ...accountPairs, ...settingsPairs], (settings) =>
  ChatWorld.start(settings),
);
