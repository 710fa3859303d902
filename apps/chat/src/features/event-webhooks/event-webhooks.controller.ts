import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import {
  addWebhookParameters,
  emptyResponseBody,
  listWebhooksResponseBody,
  noParameters,
  rotateSecretParameters,
  updateWebhookParameters,
  webhookResponseBody,
  webhookPathParameters,
  webhookSecretResponseBody,
} from './event-webhooks.schemas.js';
import { ManageEventWebhooks } from './manage-event-webhooks.action.js';

const operationOptions = { tags: ['server'], security: ['basic'] };
const singleWebhookErrorResponses = { ...operationOptions, pathParams: webhookPathParameters };
const eventWebhookErrorResponses = { ...commonErrorResponses, ...notFoundErrorResponse };

/** Endpoints with which administrators create webhooks, so that their URLs receive events of the organization. */
@Controller('api/v1/realm/event_webhooks')
export class EventWebhooksController {
  constructor(private readonly webhooks: ManageEventWebhooks) {}

  @Get()
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'get-event-webhooks',
    summary: 'Lists the event webhooks of the organization',
    description: 'For administrators.',
    responses: {
      200: { description: 'The webhooks, oldest first', schema: listWebhooksResponseBody },
      ...commonErrorResponses,
    },
  })
  list(@CurrentActor() actor: CredentialOwner, @Parameters(noParameters) _parameters: object) {
    return this.webhooks.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'create-event-webhook',
    summary: 'Creates an event webhook',
    description:
      'For administrators. The webhook receives the events that its creator may see. The response contains the secret that signs them, which cannot be read again.',
    body: createFormBodies(addWebhookParameters),
    responses: {
      200: { description: 'The webhook and its secret', schema: webhookSecretResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: CredentialOwner,
    @Parameters(addWebhookParameters) parameters: ParametersOf<typeof addWebhookParameters>,
  ) {
    return this.webhooks.add(actor, parameters);
  }

  @Patch(':webhook_id')
  @DescribeEndpoint({
    ...singleWebhookErrorResponses,
    operationId: 'update-event-webhook',
    summary: 'Changes an event webhook',
    description: 'For the administrator who created the webhook. Other administrators can only disable it.',
    body: createFormBodies(updateWebhookParameters),
    responses: { 200: { description: 'The webhook', schema: webhookResponseBody }, ...eventWebhookErrorResponses },
  })
  update(
    @CurrentActor() actor: CredentialOwner,
    @Param('webhook_id') id: string,
    @Parameters(updateWebhookParameters) parameters: ParametersOf<typeof updateWebhookParameters>,
  ) {
    return this.webhooks.update(actor, id, parameters);
  }

  @Delete(':webhook_id')
  @DescribeEndpoint({
    ...singleWebhookErrorResponses,
    operationId: 'delete-event-webhook',
    summary: 'Deletes an event webhook',
    description: 'For administrators. Deliveries that are queued fail.',
    responses: { 200: { description: 'Deleted', schema: emptyResponseBody }, ...eventWebhookErrorResponses },
  })
  remove(
    @CurrentActor() actor: CredentialOwner,
    @Param('webhook_id') id: string,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.webhooks.remove(actor, id);
  }

  @Post(':webhook_id/rotate_secret')
  @HttpCode(200)
  @DescribeEndpoint({
    ...singleWebhookErrorResponses,
    operationId: 'rotate-event-webhook-secret',
    summary: 'Replaces the secret of an event webhook',
    description: 'For the administrator who created the webhook. Both secrets sign until the end of the replaced one.',
    body: createFormBodies(rotateSecretParameters),
    responses: {
      200: { description: 'The webhook and its secret', schema: webhookSecretResponseBody },
      ...eventWebhookErrorResponses,
    },
  })
  rotateSecret(
    @CurrentActor() actor: CredentialOwner,
    @Param('webhook_id') id: string,
    @Parameters(rotateSecretParameters) parameters: ParametersOf<typeof rotateSecretParameters>,
  ) {
    return this.webhooks.rotateSecret(actor, id, parameters);
  }

  @Post(':webhook_id/test')
  @HttpCode(200)
  @DescribeEndpoint({
    ...singleWebhookErrorResponses,
    operationId: 'test-event-webhook',
    summary: 'Sends an event of the type test to an event webhook',
    description: 'For the administrator who created the webhook. The log of deliveries shows the outcome.',
    responses: { 200: { description: 'Queued', schema: emptyResponseBody }, ...eventWebhookErrorResponses },
  })
  sendTest(
    @CurrentActor() actor: CredentialOwner,
    @Param('webhook_id') id: string,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.webhooks.sendTest(actor, id);
  }
}
