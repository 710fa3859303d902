import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import {
  fileFormBodySchema,
  type FileUploadForm,
  MultipartForm,
  FileFormDefinition,
} from '../../infra/http/file-upload-form.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { RealmImagesService } from './realm-images.action.js';
import {
  emptyResponseBody,
  getLogoParameters,
  iconResponseBody,
  logoBody,
  logoParameters,
  noParameters,
  uploadLogoQuery,
} from './realm-images.schemas.js';

const redirectResponses = { 302: { description: 'URL of the image' }, ...commonErrorResponses };

/** Endpoints for the icon and the logos of a realm (docs/contract/chat.md 2.H). */
@Controller('api/v1/realm')
export class RealmImagesController {
  constructor(private readonly images: RealmImagesService) {}

  @Get('icon')
  @DescribeEndpoint({
    operationId: 'get-realm-icon',
    scope: 'read',
    summary: 'Redirects to the icon of the organization',
    tags: ['server'],
    security: ['basic'],
    responses: redirectResponses,
  })
  async loadIcon(
    @CurrentActor() actor: ChatActor,
    @Parameters(noParameters) _parameters: object,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(await this.images.getUrl(actor, 'icon'), 302);
  }

  @Post('icon')
  @HttpCode(200)
  @FileFormDefinition()
  @DescribeEndpoint({
    operationId: 'upload-realm-icon',
    summary: 'Uploads the icon of the organization',
    tags: ['server'],
    security: ['basic'],
    body: fileFormBodySchema,
    responses: { 200: { description: 'URL of the icon', schema: iconResponseBody }, ...commonErrorResponses },
  })
  uploadIcon(
    @CurrentActor() actor: ChatActor,
    @MultipartForm() form: FileUploadForm,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.images.uploadIcon(actor, form);
  }

  @Delete('icon')
  @DescribeEndpoint({
    operationId: 'remove-realm-icon',
    summary: 'Replaces the icon of the organization by a default one',
    tags: ['server'],
    security: ['basic'],
    responses: { 200: { description: 'URL of the default icon', schema: iconResponseBody }, ...commonErrorResponses },
  })
  async removeIcon(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _parameters: object) {
    return { icon_url: await this.images.remove(actor, 'icon') };
  }

  @Get('logo')
  @DescribeEndpoint({
    operationId: 'get-realm-logo',
    scope: 'read',
    summary: 'Redirects to a logo of the organization',
    tags: ['server'],
    security: ['basic'],
    query: getLogoParameters.published,
    responses: redirectResponses,
  })
  async loadLogo(
    @CurrentActor() actor: ChatActor,
    @Parameters(getLogoParameters) { night }: ParametersOf<typeof getLogoParameters>,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(await this.images.getUrl(actor, night ? 'night_logo' : 'logo'), 302);
  }

  @Post('logo')
  @HttpCode(200)
  @FileFormDefinition()
  @DescribeEndpoint({
    operationId: 'upload-realm-logo',
    summary: 'Uploads a logo of the organization',
    tags: ['server'],
    security: ['basic'],
    query: uploadLogoQuery.published,
    body: logoBody,
    responses: { 200: { description: 'Stored', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  uploadLogo(
    @CurrentActor() actor: ChatActor,
    @MultipartForm() form: FileUploadForm,
    @Parameters(uploadLogoQuery) _parameters: object,
  ) {
    return this.images.uploadLogo(actor, form);
  }

  @Delete('logo')
  @DescribeEndpoint({
    operationId: 'remove-realm-logo',
    summary: 'Replaces a logo of the organization by the default one',
    tags: ['server'],
    security: ['basic'],
    body: createFormBodies(logoParameters),
    responses: { 200: { description: 'Removed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  async removeLogo(
    @CurrentActor() actor: ChatActor,
    @Parameters(logoParameters) { night }: ParametersOf<typeof logoParameters>,
  ) {
    await this.images.remove(actor, night ? 'night_logo' : 'logo');
  }
}
