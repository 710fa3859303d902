import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { RequestParameters } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { MuteUser } from './mute-user.action.js';

const emptyRequestParameters = defineParameters(z.object({}));
const mutedUserEndpointOptions = {
  tags: ['users'],
  security: ['basic' as const],
  pathParams: z.object({ muted_user_id: z.int() }),
  responses: { 200: { description: 'Done', schema: createSuccessBodySchema({}) }, ...commonErrorResponses },
};

/** Endpoints that mute and unmute users (docs/contract/chat.md 2.F). */
@Controller('api/v1/users/me/muted_users')
export class MutedUsersController {
  constructor(private readonly muteUser: MuteUser) {}

  @Post(':muted_user_id')
  @HttpCode(200)
  @DescribeEndpoint({ ...mutedUserEndpointOptions, operationId: 'mute-user', summary: 'Mutes a user' })
  mute(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('muted_user_id') userId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.muteUser.mute(actor, userId);
  }

  @Delete(':muted_user_id')
  @DescribeEndpoint({ ...mutedUserEndpointOptions, operationId: 'unmute-user', summary: 'Unmutes a user' })
  unmute(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('muted_user_id') userId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.muteUser.unmute(actor, userId);
  }
}
