import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ChannelEmailController } from './channel-email.controller.js';
import { GetChannelEmailAddress } from './get-channel-address.query.js';

/** Feature module (slice) of channel email addresses, with one endpoint. */
export const channelEmailFeatureModule = defineFeatureModule('channel-email', {
  controllers: [ChannelEmailController],
  providers: [GetChannelEmailAddress],
});
