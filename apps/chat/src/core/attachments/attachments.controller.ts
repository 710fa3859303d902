import { Controller, Delete, Get } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { RequestParameters } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { emptyResponseBody, listAttachmentsResponseBody, emptyRequestParameters } from './attachments.schemas.js';
import { AttachmentsService } from './attachments.action.js';

/** Endpoints that list and delete uploaded files (docs/contract/chat.md 2.C). */
@Controller('api/v1/attachments')
export class AttachmentsController {
  constructor(private readonly attachments: AttachmentsService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-attachments',
    scope: 'read',
    summary: "Lists the user's uploaded files, newest first",
    tags: ['uploads'],
    security: ['basic'],
    responses: { 200: { description: 'The files', schema: listAttachmentsResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.attachments.list(actor);
  }

  @Delete(':attachment_id')
  @DescribeEndpoint({
    operationId: 'remove-attachment',
    summary: 'Deletes an uploaded file of the user',
    tags: ['uploads'],
    security: ['basic'],
    pathParams: z.object({ attachment_id: z.int() }),
    responses: { 200: { description: 'Deleted', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('attachment_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.attachments.remove(actor, id);
  }
}
