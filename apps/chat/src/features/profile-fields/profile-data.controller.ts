import { Controller, Delete, Patch } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import {
  emptyResponseBody,
  profileValuesRemovalParameters,
  profileValuesUpdateParameters,
} from './profile-fields.schemas.js';
import { UpdateOwnProfileValues } from './update-own-profile.action.js';

/** Endpoints for the requester's values of custom profile fields (chat-4.14). */
@Controller('api/v1/users/me/profile_data')
export class ProfileDataController {
  constructor(private readonly profile: UpdateOwnProfileValues) {}

  @Patch()
  @DescribeEndpoint({
    operationId: 'update-profile-data',
    summary: 'Updates values of custom profile fields of the user',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(profileValuesUpdateParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  updateProfileValues(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(profileValuesUpdateParameters) {
      data,
    }: DecodedParametersOfDefinition<typeof profileValuesUpdateParameters>,
  ) {
    return this.profile.run(actor, data);
  }

  @Delete()
  @DescribeEndpoint({
    operationId: 'remove-profile-data',
    summary: 'Removes values of custom profile fields of the user',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(profileValuesRemovalParameters),
    responses: { 200: { description: 'Removed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  removeProfileValues(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(profileValuesRemovalParameters) {
      data,
    }: DecodedParametersOfDefinition<typeof profileValuesRemovalParameters>,
  ) {
    return this.profile.removeValues(actor, data);
  }
}
