import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import {
  deliveryResponseBody,
  webhookDeliveryPathParameters,
  listDeliveriesResponseBody,
  listDeliveriesParameters,
  emptyRequestParameters,
  webhookDeliveryRequeueResponseBody,
  webhookDeliveryRequeueParameters,
  eventWebhookPathParameters,
} from './event-webhooks.schemas.js';
import { WebhookDeliveriesService } from './webhook-deliveries.action.js';

const webhookDeliveryEndpointOptions = { tags: ['server'], security: ['basic'] };
const webhookDeliveryErrorResponses = { ...commonErrorResponses, ...notFoundErrorResponse };

/** Endpoints that list and requeue the deliveries of an event webhook. */
@Controller('api/v1/realm/event_webhooks/:webhook_id/deliveries')
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Get()
  @DescribeEndpoint({
    ...webhookDeliveryEndpointOptions,
    operationId: 'get-event-webhook-deliveries',
    summary: 'Lists the deliveries of an event webhook',
    description: 'For the administrator who created the webhook.',
    pathParams: eventWebhookPathParameters,
    query: listDeliveriesParameters.published,
    responses: {
      200: { description: 'The deliveries, newest first', schema: listDeliveriesResponseBody },
      ...webhookDeliveryErrorResponses,
    },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @Param('webhook_id') webhookId: string,
    @RequestParameters(listDeliveriesParameters) parameters: DecodedParametersOfDefinition<
      typeof listDeliveriesParameters
    >,
  ) {
    return this.deliveries.list(actor, webhookId, parameters);
  }

  @Get(':delivery_id')
  @DescribeEndpoint({
    ...webhookDeliveryEndpointOptions,
    operationId: 'get-event-webhook-delivery',
    summary: 'Gets a delivery of an event webhook with its body and attempts',
    description: 'For the administrator who created the webhook, if the administrator can still read the channel.',
    pathParams: webhookDeliveryPathParameters,
    responses: { 200: { description: 'The delivery', schema: deliveryResponseBody }, ...webhookDeliveryErrorResponses },
  })
  get(
    @CurrentActor() actor: ChatActor,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.deliveries.get(actor, webhookId, deliveryId);
  }

  @Post('requeue')
  @HttpCode(200)
  @DescribeEndpoint({
    ...webhookDeliveryEndpointOptions,
    operationId: 'requeue-event-webhook-deliveries',
    summary: 'Sends failed deliveries of an event webhook again',
    description: 'For the administrator who created the webhook. Deliveries keep their ids.',
    pathParams: eventWebhookPathParameters,
    body: createOpenApiFormBodies(webhookDeliveryRequeueParameters),
    responses: {
      200: { description: 'The number of requeued deliveries', schema: webhookDeliveryRequeueResponseBody },
      ...webhookDeliveryErrorResponses,
    },
  })
  requeue(
    @CurrentActor() actor: ChatActor,
    @Param('webhook_id') webhookId: string,
    @RequestParameters(webhookDeliveryRequeueParameters) parameters: DecodedParametersOfDefinition<
      typeof webhookDeliveryRequeueParameters
    >,
  ) {
    return this.deliveries.requeue(actor, webhookId, parameters);
  }
}
