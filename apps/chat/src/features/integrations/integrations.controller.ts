import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyRequest } from 'fastify';
import { chatErrors } from '../../errors.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { type RequestWithDecodedParameters, RequestOrigin } from '../../infra/http/parameter-decorators.js';
import { decodeParameters } from '../../infra/http/parameters.js';
import { collectUndecodedParameters } from '../../infra/http/raw-parameters.js';
import { webhookFormats } from './formats/index.js';
import {
  allWebhookParameters,
  webhookRequestBodySchemas,
  webhookResponseBodySchema,
  webhookFormatPathParameters,
} from './integrations.schemas.js';
import { ReceiveWebhook } from './receive-webhook.action.js';
import { parseIncomingWebhookBody } from './parse-webhook-body.js';

/** Endpoint to which other services send webhook requests (docs/contract/chat.md 2.I). */
@Controller('api/v1/external')
export class IntegrationsController {
  constructor(private readonly receiveWebhook: ReceiveWebhook) {}

  @Post(':name')
  @HttpCode(200)
  @RouteConfig({ opensToWebhooks: true, takesRawBody: true, acceptsKeyInUrl: true })
  @DescribeEndpoint({
    operationId: 'receive-webhook',
    scope: 'send',
    summary: 'Sends the messages of a webhook of another service',
    description:
      'The name is that of the format of the sending service: see the page on integrations. Some parameters exist for some formats only.',
    tags: ['integrations'],
    security: ['key'],
    pathParams: webhookFormatPathParameters,
    query: allWebhookParameters.published,
    body: webhookRequestBodySchemas,
    responses: {
      200: { description: 'Sent, or nothing to send', schema: webhookResponseBodySchema },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  receiveWebhookRequest(
    @CurrentActor() actor: ChatActor,
    @Param('name') name: string,
    @Req() request: FastifyRequest & RequestWithDecodedParameters,
    @RequestOrigin() origin: string,
  ) {
    const format = webhookFormats.find((one) => one.name === name);
    if (format === undefined) throw chatErrors.create('NOT_FOUND', { message: 'There is no integration of this name' });
    // Only the URL contains parameters. The sender determines the fields of the body.
    const raw = { query: collectUndecodedParameters(request).query, body: new Map<string, string>() };
    const { values, ignored } = decodeParameters(format.parameters, raw, request.server.requestLimits);
    request.ignoredParameters = ignored;
    const header = (header_: string): string => String(request.headers[header_.toLowerCase()] ?? '');
    return this.receiveWebhook.run(actor, format, {
      parameters: values,
      body: parseIncomingWebhookBody(request),
      header,
      origin,
    });
  }
}
