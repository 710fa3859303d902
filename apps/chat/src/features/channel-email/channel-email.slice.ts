import { defineSlice } from '../../events/define-slice.js';
import { ChannelEmailController } from './channel-email.controller.js';
import { GetChannelAddress } from './get-channel-address.query.js';

/** The slice of channel email addresses: an endpoint. */
export const channelEmailSlice = defineSlice('channel-email', {
  controllers: [ChannelEmailController],
  providers: [GetChannelAddress],
});
