import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import {
  fileFormBodySchema,
  type FileUploadForm,
  MultipartFormParameter,
  DescribeFileUploadForm,
} from '../../infra/http/file-upload-form.js';
import { RequestParameters, RequestHost } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { TextFromUrlPath } from '../../infra/http/url-path-text.js';
import { AvatarService } from './avatars.action.js';
import { FindAvatarUrl } from './read-avatars.query.js';

const emptyRequestParameters = defineParameters(z.object({}));
const avatarResponseBody = createSuccessBodySchema({ avatar_url: z.string() });
const avatarUserPathParameters = z.object({ user: z.string().meta({ description: 'Id or address' }) });
const avatarVersionQueryParameters = z.object({
  version: z.string().optional().meta({ description: 'Version of the avatar, so that a new one has another URL' }),
  s: z
    .string()
    .optional()
    .meta({ description: 'Size for the provider of default avatars; for addresses without an account' }),
  api_key: z.string().optional().meta({ description: 'API key, for clients that cannot send an Authorization header' }),
});
const avatarRedirectResponses = { 302: { description: 'URL of the avatar' }, ...commonErrorResponses };

/** Endpoints that set, delete and find avatars (docs/contract/chat.md 1.1 and 2.F). */
@Controller()
export class AvatarsController {
  constructor(
    private readonly avatar: AvatarService,
    private readonly avatars: FindAvatarUrl,
  ) {}

  @Post('api/v1/users/me/avatar')
  @HttpCode(200)
  @DescribeFileUploadForm()
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
    @MultipartFormParameter() form: FileUploadForm,
    @RequestParameters(emptyRequestParameters) _parameters: object,
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
  remove(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
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
    pathParams: avatarUserPathParameters,
    query: avatarVersionQueryParameters,
    responses: avatarRedirectResponses,
  })
  async redirectToAvatar(
    @CurrentActor() actor: ChatActor | null,
    @RequestHost() host: string,
    @TextFromUrlPath('user') user: string,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(await this.avatars.findAvatarUrl(actor, host, user, 'small'), 302);
  }

  @Get('avatar/:user/medium')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'load-medium-avatar',
    scope: 'read',
    summary: 'Redirects to the larger avatar of a user',
    tags: ['users'],
    security: ['basic'],
    pathParams: avatarUserPathParameters,
    query: avatarVersionQueryParameters,
    responses: avatarRedirectResponses,
  })
  async redirectToMediumAvatar(
    @CurrentActor() actor: ChatActor | null,
    @RequestHost() host: string,
    @TextFromUrlPath('user') user: string,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(await this.avatars.findAvatarUrl(actor, host, user, 'medium'), 302);
  }
}
