import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { PathRemainder } from '../../infra/http/path-text.js';
import { createFileNotFoundError, ReadFiles } from './read-files.query.js';
import { sendFile, sendPicture } from './send-file.js';
import { ThumbnailService } from './thumbnails.js';
import {
  fileParameters,
  filePathParameters,
  fileResponses,
  linkedParameters,
  thumbnailParameters,
} from './uploads.schemas.js';

/** Endpoints that serve uploaded files to browsers and clients (docs/contract/chat.md 1.1). */
@Controller('user_uploads')
export class FilesController {
  constructor(
    private readonly files: ReadFiles,
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
    query: linkedParameters.published,
    responses: fileResponses,
  })
  async loadLinked(
    @Param('token') token: string,
    @Parameters(linkedParameters) { download }: ParametersOf<typeof linkedParameters>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendFile(this.files, await this.files.getLinkedFile(token), request, reply, download ?? false);
  }

  @Get('thumbnail/:realm_id/*')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'load-thumbnail',
    scope: 'read',
    path: '/user_uploads/thumbnail/{realm_id}/{path}',
    pathParams: filePathParameters,
    summary: 'Returns a thumbnail: the path of the file, followed by the size',
    tags: ['uploads'],
    security: ['basic'],
    query: thumbnailParameters.published,
    responses: fileResponses,
  })
  async loadThumbnail(
    @CurrentActor() actor: ChatActor | null,
    @PathId('realm_id') realmId: number,
    @PathRemainder() tail: string,
    @Parameters(thumbnailParameters) _parameters: object,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const [path, size] = [tail.slice(0, tail.lastIndexOf('/')), tail.slice(tail.lastIndexOf('/') + 1)];
    const file = await this.files.get({ actor, host: request.hostname }, `${realmId}/${path}`);
    const thumbnail = file.isPicture ? await this.thumbnails.get(file.pathId, size) : null;
    if (thumbnail === null) throw createFileNotFoundError();
    await sendPicture(reply, thumbnail, 'image/webp');
  }

  @Get(':realm_id/*')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'load-file',
    scope: 'read',
    path: '/user_uploads/{realm_id}/{path}',
    pathParams: filePathParameters,
    summary: 'Returns an uploaded file',
    tags: ['uploads'],
    security: ['basic'],
    query: fileParameters.published,
    responses: fileResponses,
  })
  async load(
    @CurrentActor() actor: ChatActor | null,
    @PathId('realm_id') realmId: number,
    @PathRemainder() tail: string,
    @Parameters(fileParameters) { download }: ParametersOf<typeof fileParameters>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const file = await this.files.get({ actor, host: request.hostname }, `${realmId}/${tail}`);
    await sendFile(this.files, file, request, reply, download ?? false);
  }
}
