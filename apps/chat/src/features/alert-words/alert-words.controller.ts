import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { alertWordsResponseBody, alertWordsParameters, noParameters } from './alert-words.schemas.js';
import { ChangeAlertWords } from './change-alert-words.action.js';

const alertWordsResponses = {
  200: { description: 'All words', schema: alertWordsResponseBody },
  ...commonErrorResponses,
};

/** Endpoints that read and change the alert words of the user who sends the request (docs/contract/chat.md 2.F). */
@Controller('api/v1/users/me/alert_words')
export class AlertWordsController {
  constructor(private readonly words: ChangeAlertWords) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-alert-words',
    scope: 'read',
    summary: 'Lists the alert words of the user',
    tags: ['users'],
    security: ['basic'],
    responses: alertWordsResponses,
  })
  list(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _parameters: object) {
    return this.words.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-alert-words',
    summary: 'Adds alert words',
    tags: ['users'],
    security: ['basic'],
    body: createFormBodies(alertWordsParameters),
    responses: alertWordsResponses,
  })
  add(
    @CurrentActor() actor: ChatActor,
    @Parameters(alertWordsParameters) parameters: ParametersOf<typeof alertWordsParameters>,
  ) {
    return this.words.add(actor, parameters.alert_words);
  }

  @Delete()
  @DescribeEndpoint({
    operationId: 'remove-alert-words',
    summary: 'Removes alert words',
    tags: ['users'],
    security: ['basic'],
    body: createFormBodies(alertWordsParameters),
    responses: alertWordsResponses,
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @Parameters(alertWordsParameters) parameters: ParametersOf<typeof alertWordsParameters>,
  ) {
    return this.words.remove(actor, parameters.alert_words);
  }
}
