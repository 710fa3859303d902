import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { MobilePushController } from './mobile-push.controller.js';
import { PushTokensController } from './push-tokens.controller.js';
import { PushTokensService } from './push-tokens.action.js';

/** Feature module (slice) that declares the endpoints for push tokens and for mobile push notifications. */
export const pushTokensFeatureModule = defineFeatureModule('push-tokens', {
  controllers: [MobilePushController, PushTokensController],
  providers: [PushTokensService],
});
