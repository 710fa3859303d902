import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import {
  fileFormBodySchema,
  type FileUploadForm,
  MultipartFormParameter,
  DescribeFileUploadForm,
} from '../../infra/http/file-upload-form.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { RealmImagesService } from './realm-images.action.js';
import {
  emptyResponseBody,
  realmLogoRetrievalParameters,
  realmIconResponseBody,
  realmLogoUploadBody,
  realmLogoParameters,
  emptyRequestParameters,
  realmLogoUploadQueryParameters,
} from './realm-images.schemas.js';

const realmImageRedirectResponses = { 302: { description: 'URL of the image' }, ...commonErrorResponses };

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
    responses: realmImageRedirectResponses,
  })
  async redirectToIcon(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(emptyRequestParameters) _parameters: object,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(await this.images.getImageUrl(actor, 'icon'), 302);
  }

  @Post('icon')
  @HttpCode(200)
  @DescribeFileUploadForm()
  @DescribeEndpoint({
    operationId: 'upload-realm-icon',
    summary: 'Uploads the icon of the organization',
    tags: ['server'],
    security: ['basic'],
    body: fileFormBodySchema,
    responses: { 200: { description: 'URL of the icon', schema: realmIconResponseBody }, ...commonErrorResponses },
  })
  uploadIcon(
    @CurrentActor() actor: ChatActor,
    @MultipartFormParameter() form: FileUploadForm,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.images.uploadIcon(actor, form);
  }

  @Delete('icon')
  @DescribeEndpoint({
    operationId: 'remove-realm-icon',
    summary: 'Replaces the icon of the organization by a default one',
    tags: ['server'],
    security: ['basic'],
    responses: {
      200: { description: 'URL of the default icon', schema: realmIconResponseBody },
      ...commonErrorResponses,
    },
  })
  async removeIcon(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return { icon_url: await this.images.remove(actor, 'icon') };
  }

  @Get('logo')
  @DescribeEndpoint({
    operationId: 'get-realm-logo',
    scope: 'read',
    summary: 'Redirects to a logo of the organization',
    tags: ['server'],
    security: ['basic'],
    query: realmLogoRetrievalParameters.published,
    responses: realmImageRedirectResponses,
  })
  async redirectToLogo(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(realmLogoRetrievalParameters) {
      night,
    }: DecodedParametersOfDefinition<typeof realmLogoRetrievalParameters>,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(await this.images.getImageUrl(actor, night ? 'night_logo' : 'logo'), 302);
  }

  @Post('logo')
  @HttpCode(200)
  @DescribeFileUploadForm()
  @DescribeEndpoint({
    operationId: 'upload-realm-logo',
    summary: 'Uploads a logo of the organization',
    tags: ['server'],
    security: ['basic'],
    query: realmLogoUploadQueryParameters.published,
    body: realmLogoUploadBody,
    responses: { 200: { description: 'Stored', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  uploadLogo(
    @CurrentActor() actor: ChatActor,
    @MultipartFormParameter() form: FileUploadForm,
    @RequestParameters(realmLogoUploadQueryParameters) _parameters: object,
  ) {
    return this.images.uploadLogo(actor, form);
  }

  @Delete('logo')
  @DescribeEndpoint({
    operationId: 'remove-realm-logo',
    summary: 'Replaces a logo of the organization by the default one',
    tags: ['server'],
    security: ['basic'],
    body: createOpenApiFormBodies(realmLogoParameters),
    responses: { 200: { description: 'Removed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  async removeLogo(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(realmLogoParameters) { night }: DecodedParametersOfDefinition<typeof realmLogoParameters>,
  ) {
    await this.images.remove(actor, night ? 'night_logo' : 'logo');
  }
}
