import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { emptyResponseBody, reportMessageParameters } from './message-reports.schemas.js';
import { ReportMessage } from './report-message.action.js';

/** Endpoint that reports messages to moderators (docs/contract/chat.md 2.C). */
@Controller('api/v1/messages/:message_id/report')
export class MessageReportsController {
  constructor(private readonly reportMessage: ReportMessage) {}

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'report-message',
    summary: 'Reports a message to the moderators',
    tags: ['messages'],
    security: ['basic'],
    pathParams: z.object({ message_id: z.int() }),
    body: createOpenApiFormBodies(reportMessageParameters),
    responses: { 200: { description: 'Reported', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  report(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('message_id') id: number,
    @RequestParameters(reportMessageParameters) parameters: DecodedParametersOfDefinition<
      typeof reportMessageParameters
    >,
  ) {
    return this.reportMessage.run(actor, id, parameters);
  }
}
