import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import {
  addWebhookParameters,
  emptyResponseBody,
  listWebhooksResponseBody,
  emptyRequestParameters,
  rotateSecretParameters,
  updateWebhookParameters,
  webhookResponseBody,
  eventWebhookPathParameters,
  webhookWithSecretResponseBody,
} from './event-webhooks.schemas.js';
import { ManageEventWebhooks } from './manage-event-webhooks.action.js';

const eventWebhookEndpointOptions = { tags: ['server'], security: ['basic'] };
const singleEventWebhookEndpointOptions = { ...eventWebhookEndpointOptions, pathParams: eventWebhookPathParameters };
const eventWebhookErrorResponses = { ...commonErrorResponses, ...notFoundErrorResponse };

/** Endpoints with which administrators create webhooks, so that their URLs receive events of the organization. */
@Controller('api/v1/realm/event_webhooks')
export class EventWebhooksController {
  constructor(private readonly webhooks: ManageEventWebhooks) {}

  @Get()
  @DescribeEndpoint({
    ...eventWebhookEndpointOptions,
    operationId: 'get-event-webhooks',
    summary: 'Lists the event webhooks of the organization',
    description: 'For administrators.',
    responses: {
      200: { description: 'The webhooks, oldest first', schema: listWebhooksResponseBody },
      ...commonErrorResponses,
    },
  })
  list(@CurrentActor() actor: CredentialOwner, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.webhooks.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    ...eventWebhookEndpointOptions,
    operationId: 'create-event-webhook',
    summary: 'Creates an event webhook',
    description:
      'For administrators. The webhook receives the events that its creator may see. The response contains the secret that signs them, which cannot be read again.',
    body: createOpenApiFormBodies(addWebhookParameters),
    responses: {
      200: { description: 'The webhook and its secret', schema: webhookWithSecretResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: CredentialOwner,
    @RequestParameters(addWebhookParameters) parameters: DecodedParametersOfDefinition<typeof addWebhookParameters>,
  ) {
    return this.webhooks.add(actor, parameters);
  }

  @Patch(':webhook_id')
  @DescribeEndpoint({
    ...singleEventWebhookEndpointOptions,
    operationId: 'update-event-webhook',
    summary: 'Changes an event webhook',
    description: 'For the administrator who created the webhook. Other administrators can only disable it.',
    body: createOpenApiFormBodies(updateWebhookParameters),
    responses: { 200: { description: 'The webhook', schema: webhookResponseBody }, ...eventWebhookErrorResponses },
  })
  update(
    @CurrentActor() actor: CredentialOwner,
    @Param('webhook_id') id: string,
    @RequestParameters(updateWebhookParameters) parameters: DecodedParametersOfDefinition<
      typeof updateWebhookParameters
    >,
  ) {
    return this.webhooks.update(actor, id, parameters);
  }

  @Delete(':webhook_id')
  @DescribeEndpoint({
    ...singleEventWebhookEndpointOptions,
    operationId: 'delete-event-webhook',
    summary: 'Deletes an event webhook',
    description: 'For administrators. Deliveries that are queued fail.',
    responses: { 200: { description: 'Deleted', schema: emptyResponseBody }, ...eventWebhookErrorResponses },
  })
  remove(
    @CurrentActor() actor: CredentialOwner,
    @Param('webhook_id') id: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.webhooks.remove(actor, id);
  }

  @Post(':webhook_id/rotate_secret')
  @HttpCode(200)
  @DescribeEndpoint({
    ...singleEventWebhookEndpointOptions,
    operationId: 'rotate-event-webhook-secret',
    summary: 'Replaces the secret of an event webhook',
    description: 'For the administrator who created the webhook. Both secrets sign until the end of the replaced one.',
    body: createOpenApiFormBodies(rotateSecretParameters),
    responses: {
      200: { description: 'The webhook and its secret', schema: webhookWithSecretResponseBody },
      ...eventWebhookErrorResponses,
    },
  })
  rotateSecret(
    @CurrentActor() actor: CredentialOwner,
    @Param('webhook_id') id: string,
    @RequestParameters(rotateSecretParameters) parameters: DecodedParametersOfDefinition<typeof rotateSecretParameters>,
  ) {
    return this.webhooks.rotateSecret(actor, id, parameters);
  }

  @Post(':webhook_id/test')
  @HttpCode(200)
  @DescribeEndpoint({
    ...singleEventWebhookEndpointOptions,
    operationId: 'test-event-webhook',
    summary: 'Sends an event of the type test to an event webhook',
    description: 'For the administrator who created the webhook. The log of deliveries shows the outcome.',
    responses: { 200: { description: 'Queued', schema: emptyResponseBody }, ...eventWebhookErrorResponses },
  })
  sendTest(
    @CurrentActor() actor: CredentialOwner,
    @Param('webhook_id') id: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.webhooks.sendTest(actor, id);
  }
}
