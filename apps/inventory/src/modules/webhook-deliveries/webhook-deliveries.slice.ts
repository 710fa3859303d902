import { defineSlice } from '../../http/define-slice.js';
import { deliveryPaths } from './delivery-paths.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';

export const webhookDeliveriesSlice = defineSlice('webhook-deliveries', {
  controllers: [WebhookDeliveriesController],
  methods: [{ path: /^\/api\/extras\/webhook-deliveries\/([^/]+\/)?requeue\/$/, methods: ['OPTIONS', 'POST'] }],
  openApi: ({ paths }) => ({ paths: deliveryPaths(paths) }),
});
