import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, successBody } from '../../infra/http/envelope.schemas.js';
import {
  fileFormBodySchema,
  type FileUploadForm,
  MultipartForm,
  FileFormDefinition,
} from '../../infra/http/file-upload-form.js';
import { Parameters, RequestHost } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { PathText } from '../../infra/http/path-text.js';
import { AvatarService } from './avatars.action.js';
import { ReadAvatars } from './read-avatars.query.js';

const noParameters = defineParameters(z.object({}));
const avatarResponseBody = successBody({ avatar_url: z.string() });
const userPathParameters = z.object({ user: z.string().meta({ description: 'Id or address' }) });
const pictureQueryParameters = z.object({
  version: z.string().optional().meta({ description: 'Version of the avatar, so that a new one has another URL' }),
  s: z
    .string()
    .optional()
    .meta({ description: 'Size for the provider of default avatars; for addresses without an account' }),
  api_key: z.string().optional().meta({ description: 'API key, for clients that cannot send an Authorization header' }),
});
const redirectResponses = { 302: { description: 'URL of the avatar' }, ...commonErrorResponses };

/** Endpoints that set, delete and find avatars (docs/contract/chat.md 1.1 and 2.F). */
@Controller()
export class AvatarsController {
  constructor(
    private readonly avatar: AvatarService,
    private readonly avatars: ReadAvatars,
  ) {}

  @Post('api/v1/users/me/avatar')
  @HttpCode(200)
  @FileFormDefinition()
  @DescribeEndpoint({
    operationId: 'upload-avatar',
    summary: 'Uploads an avatar for the user',
    tags: ['users'],
    security: ['basic'],
    body: fileFormBodySchema,
    responses: { 200: { description: 'URL of the avatar', schema: avatarResponseBody }, ...commonErrorResponses },
  })
  upload(
    @CurrentActor() actor: ChatActor,
    @MultipartForm() form: FileUploadForm,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.avatar.upload(actor, form);
  }

  @Delete('api/v1/users/me/avatar')
  @DescribeEndpoint({
    operationId: 'remove-avatar',
    summary: 'Deletes the avatar of the user',
    tags: ['users'],
    security: ['basic'],
    responses: {
      200: { description: 'The avatar that is shown instead', schema: avatarResponseBody },
      ...commonErrorResponses,
    },
  })
  remove(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _parameters: object) {
    return this.avatar.remove(actor);
  }

  @Get('avatar/:user')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'load-avatar',
    scope: 'read',
    summary: 'Redirects to the avatar of a user',
    tags: ['users'],
    security: ['basic'],
    pathParams: userPathParameters,
    query: pictureQueryParameters,
    responses: redirectResponses,
  })
  async load(
    @CurrentActor() actor: ChatActor | null,
    @RequestHost() host: string,
    @PathText('user') user: string,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(await this.avatars.find(actor, host, user, 'small'), 302);
  }

  @Get('avatar/:user/medium')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'load-medium-avatar',
    scope: 'read',
    summary: 'Redirects to the larger avatar of a user',
    tags: ['users'],
    security: ['basic'],
    pathParams: userPathParameters,
    query: pictureQueryParameters,
    responses: redirectResponses,
  })
  async loadMedium(
    @CurrentActor() actor: ChatActor | null,
    @RequestHost() host: string,
    @PathText('user') user: string,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(await this.avatars.find(actor, host, user, 'medium'), 302);
  }
}
