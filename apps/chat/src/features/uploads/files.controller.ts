import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { RemainderOfUrlPath } from '../../infra/http/url-path-text.js';
import { createFileNotFoundError, ReadUploadedFiles } from './read-files.query.js';
import { sendUploadedFileResponse, sendImageResponse } from './send-file.js';
import { ThumbnailService } from './thumbnails.js';
import {
  uploadedFileQueryParameters,
  uploadedFilePathParameters,
  uploadedFileOpenApiResponses,
  temporaryFileLinkQueryParameters,
  thumbnailQueryParameters,
} from './uploads.schemas.js';

/** Endpoints that serve uploaded files to browsers and clients (docs/contract/chat.md 1.1). */
@Controller('user_uploads')
export class UploadedFilesController {
  constructor(
    private readonly files: ReadUploadedFiles,
    private readonly thumbnails: ThumbnailService,
  ) {}

  @Get('temporary/:token/:filename')
  @Public()
  @DescribeEndpoint({
    operationId: 'load-file-by-link',
    pathParams: z.object({ token: z.string(), filename: z.string() }),
    summary: 'Returns a file by a temporary link',
    tags: ['uploads'],
    security: 'none',
    query: temporaryFileLinkQueryParameters.published,
    responses: uploadedFileOpenApiResponses,
  })
  async sendFileOfTemporaryLink(
    @Param('token') token: string,
    @RequestParameters(temporaryFileLinkQueryParameters) {
      download,
    }: DecodedParametersOfDefinition<typeof temporaryFileLinkQueryParameters>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendUploadedFileResponse(
      this.files,
      await this.files.getFileOfTemporaryLink(token),
      request,
      reply,
      download ?? false,
    );
  }

  @Get('thumbnail/:realm_id/*')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'load-thumbnail',
    scope: 'read',
    path: '/user_uploads/thumbnail/{realm_id}/{path}',
    pathParams: uploadedFilePathParameters,
    summary: 'Returns a thumbnail: the path of the file, followed by the size',
    tags: ['uploads'],
    security: ['basic'],
    query: thumbnailQueryParameters.published,
    responses: uploadedFileOpenApiResponses,
  })
  async sendThumbnail(
    @CurrentActor() actor: ChatActor | null,
    @IdFromUrlPath('realm_id') realmId: number,
    @RemainderOfUrlPath() tail: string,
    @RequestParameters(thumbnailQueryParameters) _parameters: object,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const [path, size] = [tail.slice(0, tail.lastIndexOf('/')), tail.slice(tail.lastIndexOf('/') + 1)];
    const file = await this.files.getReadableFile({ actor, host: request.hostname }, `${realmId}/${path}`);
    const thumbnail = file.isPicture ? await this.thumbnails.getOrCreateThumbnail(file.pathId, size) : null;
    if (thumbnail === null) throw createFileNotFoundError();
    await sendImageResponse(reply, thumbnail, 'image/webp');
  }

  @Get(':realm_id/*')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'load-file',
    scope: 'read',
    path: '/user_uploads/{realm_id}/{path}',
    pathParams: uploadedFilePathParameters,
    summary: 'Returns an uploaded file',
    tags: ['uploads'],
    security: ['basic'],
    query: uploadedFileQueryParameters.published,
    responses: uploadedFileOpenApiResponses,
  })
  async sendUploadedFile(
    @CurrentActor() actor: ChatActor | null,
    @IdFromUrlPath('realm_id') realmId: number,
    @RemainderOfUrlPath() tail: string,
    @RequestParameters(uploadedFileQueryParameters) {
      download,
    }: DecodedParametersOfDefinition<typeof uploadedFileQueryParameters>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const file = await this.files.getReadableFile({ actor, host: request.hostname }, `${realmId}/${tail}`);
    await sendUploadedFileResponse(this.files, file, request, reply, download ?? false);
  }
}
