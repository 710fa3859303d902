import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import {
  ClientName,
  RequestParameters,
  type DecodedParametersOfDefinition,
} from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { ScheduledMessagesService } from './scheduled-messages.action.js';
import {
  addScheduledMessageResponseBody,
  addScheduledMessageParameters,
  emptyResponseBody,
  listScheduledMessagesResponseBody,
  emptyRequestParameters,
  scheduledMessagePathParameters,
  updateScheduledMessageParameters,
} from './scheduled-messages.schemas.js';

/** Endpoints for messages that are sent at a later time (docs/contract/chat.md 2.D). */
@Controller('api/v1/scheduled_messages')
export class ScheduledMessagesController {
  constructor(private readonly messages: ScheduledMessagesService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-scheduled-messages',
    scope: 'read',
    summary: 'Lists the scheduled messages of the user that were not sent yet, ordered by time',
    tags: ['scheduled_messages'],
    security: ['basic'],
    responses: {
      200: { description: 'The messages', schema: listScheduledMessagesResponseBody },
      ...commonErrorResponses,
    },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.messages.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-scheduled-message',
    summary: 'Schedules a message, which is sent at a later time',
    tags: ['scheduled_messages'],
    description:
      'The permissions of the sender are checked now and when the message is sent. A message that cannot be sent, or only more than ten minutes late, is marked as failed, and Notification Bot informs its author.',
    security: ['basic'],
    body: createOpenApiFormBodies(addScheduledMessageParameters),
    responses: {
      200: { description: 'Id of the new object', schema: addScheduledMessageResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(addScheduledMessageParameters) parameters: DecodedParametersOfDefinition<
      typeof addScheduledMessageParameters
    >,
    @ClientName() client: string,
  ) {
    return this.messages.add(actor, parameters, client);
  }

  @Patch(':scheduled_message_id')
  @DescribeEndpoint({
    operationId: 'update-scheduled-message',
    pathParams: scheduledMessagePathParameters,
    summary: 'Updates a scheduled message',
    tags: ['scheduled_messages'],
    description: 'A failed message needs a new time. It is no longer failed, and is sent at that time.',
    security: ['basic'],
    body: createOpenApiFormBodies(updateScheduledMessageParameters),
    responses: {
      200: { description: 'Changed', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('scheduled_message_id') id: number,
    @RequestParameters(updateScheduledMessageParameters) parameters: DecodedParametersOfDefinition<
      typeof updateScheduledMessageParameters
    >,
    @ClientName() client: string,
  ) {
    return this.messages.update(actor, id, parameters, client);
  }

  @Delete(':scheduled_message_id')
  @DescribeEndpoint({
    operationId: 'delete-scheduled-message',
    pathParams: scheduledMessagePathParameters,
    summary: 'Deletes a scheduled message, which is then not sent',
    tags: ['scheduled_messages'],
    security: ['basic'],
    responses: {
      200: { description: 'Deleted', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('scheduled_message_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.messages.remove(actor, id);
  }
}
