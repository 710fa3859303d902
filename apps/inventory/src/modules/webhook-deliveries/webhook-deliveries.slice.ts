import { defineFeatureModule } from '../../http/define-slice.js';
import { createDeliveryOpenApiPaths } from './delivery-paths.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';

export const webhookDeliveriesFeatureModule = defineFeatureModule('webhook-deliveries', {
  controllers: [WebhookDeliveriesController],
  methods: [{ path: /^\/api\/extras\/webhook-deliveries\/([^/]+\/)?requeue\/$/, methods: ['OPTIONS', 'POST'] }],
  openApi: ({ paths }) => ({ paths: createDeliveryOpenApiPaths(paths) }),
});
