import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { AddSubmessage } from './add-submessage.action.js';
import { addSubmessageParameters, emptyResponseBody } from './submessages.schemas.js';

/** Endpoint that adds an entry to the poll or to-do list of a message (docs/contract/chat.md 2.C). */
@Controller('api/v1/submessage')
export class SubmessagesController {
  constructor(private readonly addSubmessage: AddSubmessage) {}

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-submessage',
    scope: 'send',
    summary: 'Changes the widget of a message, for example by a vote',
    tags: ['messages'],
    security: ['basic'],
    body: createOpenApiFormBodies(addSubmessageParameters),
    responses: { 200: { description: 'Done', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(addSubmessageParameters) parameters: DecodedParametersOfDefinition<
      typeof addSubmessageParameters
    >,
  ) {
    return this.addSubmessage.run(actor, parameters);
  }
}
