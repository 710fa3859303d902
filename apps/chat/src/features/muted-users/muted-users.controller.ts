import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, successBody } from '../../infra/http/envelope.schemas.js';
import { Parameters } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { MuteUser } from './mute-user.action.js';

const noParameters = defineParameters(z.object({}));
const operationOptions = {
  tags: ['users'],
  security: ['basic' as const],
  pathParams: z.object({ muted_user_id: z.int() }),
  responses: { 200: { description: 'Done', schema: successBody({}) }, ...commonErrorResponses },
};

/** Endpoints that mute and unmute users (docs/contract/chat.md 2.F). */
@Controller('api/v1/users/me/muted_users')
export class MutedUsersController {
  constructor(private readonly muteUser: MuteUser) {}

  @Post(':muted_user_id')
  @HttpCode(200)
  @DescribeEndpoint({ ...operationOptions, operationId: 'mute-user', summary: 'Mutes a user' })
  mute(
    @CurrentActor() actor: ChatActor,
    @PathId('muted_user_id') userId: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.muteUser.mute(actor, userId);
  }

  @Delete(':muted_user_id')
  @DescribeEndpoint({ ...operationOptions, operationId: 'unmute-user', summary: 'Unmutes a user' })
  unmute(
    @CurrentActor() actor: ChatActor,
    @PathId('muted_user_id') userId: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.muteUser.unmute(actor, userId);
  }
}
