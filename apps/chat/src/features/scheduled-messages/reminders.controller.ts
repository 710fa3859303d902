import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
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
import { RemindersService } from './reminders.action.js';
import {
  addReminderResponseBody,
  addReminderParameters,
  listRemindersResponseBody,
  reminderPathParameters,
} from './reminders.schemas.js';
import { emptyResponseBody, emptyRequestParameters } from './scheduled-messages.schemas.js';

/** Endpoints for reminders about messages (docs/contract/chat.md 2.D). */
@Controller('api/v1/reminders')
export class RemindersController {
  constructor(private readonly reminders: RemindersService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-reminders',
    scope: 'read',
    summary: 'Lists the reminders of the user that were not sent yet, ordered by time',
    tags: ['reminders'],
    security: ['basic'],
    responses: { 200: { description: 'The reminders', schema: listRemindersResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.reminders.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-message-reminder',
    summary: 'Creates a reminder: a direct message of Notification Bot at a later time that quotes a message',
    tags: ['reminders'],
    security: ['basic'],
    body: createOpenApiFormBodies(addReminderParameters),
    responses: {
      200: { description: 'Id of the new object', schema: addReminderResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(addReminderParameters) parameters: DecodedParametersOfDefinition<typeof addReminderParameters>,
    @ClientName() client: string,
  ) {
    return this.reminders.add(actor, parameters, client);
  }

  @Delete(':reminder_id')
  @DescribeEndpoint({
    operationId: 'delete-reminder',
    pathParams: reminderPathParameters,
    summary: 'Deletes a reminder, which is then not sent',
    tags: ['reminders'],
    security: ['basic'],
    responses: {
      200: { description: 'Deleted', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('reminder_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.reminders.remove(actor, id);
  }
}
