import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, successBody } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { DeactivateRealm } from './deactivate-realm.action.js';

const deactivateParameters = defineParameters(
  z.object({
    deletion_delay_days: z
      .int()
      .max(36_500)
      .nullable()
      .default(null)
      .meta({ description: 'Days until all data of the organization is deleted; null for never' }),
  }),
);

/** Endpoint that deactivates the organization (docs/contract/chat.md 2.H). */
@Controller('api/v1/realm')
export class RealmDeactivationController {
  constructor(private readonly realms: DeactivateRealm) {}

  @Post('deactivate')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'deactivate-realm',
    summary: 'Deactivates the organization, and schedules the deletion of its data',
    tags: ['server'],
    security: ['basic'],
    body: createFormBodies(deactivateParameters),
    responses: { 200: { description: 'Deactivated', schema: successBody({}) }, ...commonErrorResponses },
  })
  deactivate(
    @CurrentActor() actor: ChatActor,
    @Parameters(deactivateParameters) { deletion_delay_days: days }: ParametersOf<typeof deactivateParameters>,
  ) {
    return this.realms.run(actor, days);
  }
}
