import { Controller, Delete, Patch } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { emptyResponseBody, removeProfileParameters, updateProfileParameters } from './profile-fields.schemas.js';
import { UpdateOwnProfile } from './update-own-profile.action.js';

/** Endpoints for the requester's values of custom profile fields (chat-4.14). */
@Controller('api/v1/users/me/profile_data')
export class ProfileDataController {
  constructor(private readonly profile: UpdateOwnProfile) {}

  @Patch()
  @DescribeEndpoint({
    operationId: 'update-profile-data',
    summary: 'Updates values of custom profile fields of the user',
    tags: ['users'],
    security: ['basic'],
    body: createFormBodies(updateProfileParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @Parameters(updateProfileParameters) { data }: ParametersOf<typeof updateProfileParameters>,
  ) {
    return this.profile.run(actor, data);
  }

  @Delete()
  @DescribeEndpoint({
    operationId: 'remove-profile-data',
    summary: 'Removes values of custom profile fields of the user',
    tags: ['users'],
    security: ['basic'],
    body: createFormBodies(removeProfileParameters),
    responses: { 200: { description: 'Removed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @Parameters(removeProfileParameters) { data }: ParametersOf<typeof removeProfileParameters>,
  ) {
    return this.profile.remove(actor, data);
  }
}
