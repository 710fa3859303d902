import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { alertWordsResponseBody, changeAlertWordsParameters, emptyRequestParameters } from './alert-words.schemas.js';
import { ReadAndChangeAlertWords } from './change-alert-words.action.js';

const alertWordsEndpointResponses = {
  200: { description: 'All words', schema: alertWordsResponseBody },
  ...commonErrorResponses,
};

/** Endpoints that read and change the alert words of the user who sends the request (docs/contract/chat.md 2.F). */
@Controller('api/v1/users/me/alert_words')
export class AlertWordsController {
  constructor(private readonly words: ReadAndChangeAlertWords) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-alert-words',
    scope: 'read',
    summary: 'Lists the alert words of the user',
    tags: ['users'],
    security: ['basic'],
    responses: alertWordsEndpointResponses,
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.words.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-alert-words',
    summary: 'Adds alert words',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(changeAlertWordsParameters),
    responses: alertWordsEndpointResponses,
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(changeAlertWordsParameters) parameters: DecodedParametersOfDefinition<
      typeof changeAlertWordsParameters
    >,
  ) {
    return this.words.add(actor, parameters.alert_words);
  }

  @Delete()
  @DescribeEndpoint({
    operationId: 'remove-alert-words',
    summary: 'Removes alert words',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(changeAlertWordsParameters),
    responses: alertWordsEndpointResponses,
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(changeAlertWordsParameters) parameters: DecodedParametersOfDefinition<
      typeof changeAlertWordsParameters
    >,
  ) {
    return this.words.remove(actor, parameters.alert_words);
  }
}
