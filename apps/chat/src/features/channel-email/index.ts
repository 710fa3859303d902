export { ChannelEmailController } from './channel-email.controller.js';
export { GetChannelAddress } from './get-channel-address.query.js';
