import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/auth';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../access/actor.js';
import { commonErrors } from '../../http/envelope.schemas.js';
import { formBodies } from '../../http/openapi-forms.js';
import { ClientName, Parameters, type ParametersOf } from '../../http/parameter-decorators.js';
import { ListMessages } from './list-messages.query.js';
import { listMessagesBody, listMessagesParameters } from './list-messages.schemas.js';
import { SendMessage } from './send-message.action.js';
import { sendMessageBody, sendMessageParameters } from './send-message.schemas.js';

/** Messages (chat-contract 2.C). */
@Controller('api/v1/messages')
export class MessagesController {
  constructor(
    private readonly sendMessage: SendMessage,
    private readonly listMessages: ListMessages,
  ) {}

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'send-message',
    summary: 'Sends a message to a channel or to people',
    tags: ['messages'],
    security: ['basic'],
    body: formBodies(sendMessageParameters),
    responses: { 200: { description: 'Sent', schema: sendMessageBody }, ...commonErrors },
  })
  send(
    @CurrentActor() actor: ChatActor,
    @Parameters(sendMessageParameters) parameters: ParametersOf<typeof sendMessageParameters>,
    @ClientName() client: string,
  ) {
    return this.sendMessage.run(actor, parameters, client);
  }

  @Get()
  @DescribeEndpoint({
    operationId: 'get-messages',
    summary: 'Reads the messages of a narrow around an anchor, or by their ids',
    tags: ['messages'],
    security: ['basic'],
    query: listMessagesParameters.published,
    responses: { 200: { description: 'The messages, ascending', schema: listMessagesBody }, ...commonErrors },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @Parameters(listMessagesParameters) parameters: ParametersOf<typeof listMessagesParameters>,
  ) {
    return this.listMessages.run(actor, parameters);
  }
}
