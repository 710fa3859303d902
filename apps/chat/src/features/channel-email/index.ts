export { channelEmailSlice } from './channel-email.slice.js';
export { ChannelMailCounts } from './channel-mail-counts.js';
export { startChannelMail } from './start-channel-mail-server.js';
