export { channelEmailFeatureModule } from './channel-email.slice.js';
export { ChannelMailOutcomeCounter } from './channel-mail-counts.js';
export { startChannelMailServer } from './start-channel-mail-server.js';
