import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import {
  deliveryResponseBody,
  deliveryPathParameters,
  listDeliveriesResponseBody,
  listDeliveriesParameters,
  noParameters,
  requeueResponseBody,
  requeueParameters,
  webhookPathParameters,
} from './event-webhooks.schemas.js';
import { WebhookDeliveries } from './webhook-deliveries.action.js';

const operationOptions = { tags: ['server'], security: ['basic'] };
const deliveryErrorResponses = { ...commonErrorResponses, ...notFoundErrorResponse };

/** Endpoints that list and requeue the deliveries of an event webhook. */
@Controller('api/v1/realm/event_webhooks/:webhook_id/deliveries')
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveries) {}

  @Get()
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'get-event-webhook-deliveries',
    summary: 'Lists the deliveries of an event webhook',
    description: 'For the administrator who created the webhook.',
    pathParams: webhookPathParameters,
    query: listDeliveriesParameters.published,
    responses: {
      200: { description: 'The deliveries, newest first', schema: listDeliveriesResponseBody },
      ...deliveryErrorResponses,
    },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @Param('webhook_id') webhookId: string,
    @Parameters(listDeliveriesParameters) parameters: ParametersOf<typeof listDeliveriesParameters>,
  ) {
    return this.deliveries.list(actor, webhookId, parameters);
  }

  @Get(':delivery_id')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'get-event-webhook-delivery',
    summary: 'Gets a delivery of an event webhook with its body and attempts',
    description: 'For the administrator who created the webhook, if the administrator can still read the channel.',
    pathParams: deliveryPathParameters,
    responses: { 200: { description: 'The delivery', schema: deliveryResponseBody }, ...deliveryErrorResponses },
  })
  get(
    @CurrentActor() actor: ChatActor,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.deliveries.get(actor, webhookId, deliveryId);
  }

  @Post('requeue')
  @HttpCode(200)
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'requeue-event-webhook-deliveries',
    summary: 'Sends failed deliveries of an event webhook again',
    description: 'For the administrator who created the webhook. Deliveries keep their ids.',
    pathParams: webhookPathParameters,
    body: createFormBodies(requeueParameters),
    responses: {
      200: { description: 'The number of requeued deliveries', schema: requeueResponseBody },
      ...deliveryErrorResponses,
    },
  })
  requeue(
    @CurrentActor() actor: ChatActor,
    @Param('webhook_id') webhookId: string,
    @Parameters(requeueParameters) parameters: ParametersOf<typeof requeueParameters>,
  ) {
    return this.deliveries.requeue(actor, webhookId, parameters);
  }
}
