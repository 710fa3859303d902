import { defineSlice } from '../../events/define-feature-slice.js';
import { ChannelEmailController } from './channel-email.controller.js';
import { GetChannelAddress } from './get-channel-address.query.js';

/** Feature module (slice) of channel email addresses, with one endpoint. */
export const channelEmailSlice = defineSlice('channel-email', {
  controllers: [ChannelEmailController],
  providers: [GetChannelAddress],
});
