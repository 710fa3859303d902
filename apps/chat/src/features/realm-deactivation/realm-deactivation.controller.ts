import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { DeactivateRealm } from './deactivate-realm.action.js';

const realmDeactivationParameters = defineParameters(
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
    body: createOpenApiFormBodies(realmDeactivationParameters),
    responses: { 200: { description: 'Deactivated', schema: createSuccessBodySchema({}) }, ...commonErrorResponses },
  })
  deactivateRealm(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(realmDeactivationParameters) {
      deletion_delay_days: days,
    }: DecodedParametersOfDefinition<typeof realmDeactivationParameters>,
  ) {
    return this.realms.run(actor, days);
  }
}
