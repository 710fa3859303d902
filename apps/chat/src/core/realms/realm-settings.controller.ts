import { Controller, Patch } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { UpdateRealm } from './update-realm.action.js';
import { updateRealmResponseBody, updateRealmParameters } from './update-realm.schemas.js';

/** Endpoint that changes the settings of the organization (docs/contract/chat.md 2.H). */
@Controller('api/v1/realm')
export class RealmSettingsController {
  constructor(private readonly updateRealm: UpdateRealm) {}

  @Patch()
  @DescribeEndpoint({
    operationId: 'update-realm',
    summary: 'Updates settings and permissions of the organization',
    tags: ['server'],
    security: ['basic'],
    body: createOpenApiFormBodies(updateRealmParameters),
    responses: {
      200: { description: 'The changed settings', schema: updateRealmResponseBody },
      ...commonErrorResponses,
    },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(updateRealmParameters) parameters: DecodedParametersOfDefinition<typeof updateRealmParameters>,
  ) {
    return this.updateRealm.run(actor, parameters);
  }
}
