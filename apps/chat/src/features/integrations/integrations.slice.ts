import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { IntegrationsController } from './integrations.controller.js';
import { integrationSnapshotParts } from './integrations.snapshot.js';
import { NotifyWebhookOwner } from './notify-webhook-owner.js';
import { ReceiveWebhook } from './receive-webhook.action.js';

/** Feature module (slice) of integrations, which create messages from the webhook requests of other services. */
export const integrationsFeatureModule = defineFeatureModule('integrations', {
  controllers: [IntegrationsController],
  providers: [NotifyWebhookOwner, ReceiveWebhook],
  snapshotParts: integrationSnapshotParts,
});
