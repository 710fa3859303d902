import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import {
  fileFormBodySchema,
  type FileUploadForm,
  MultipartForm,
  FileFormDefinition,
} from '../../infra/http/file-upload-form.js';
import { Parameters, RequestHost } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { PathRemainder } from '../../infra/http/path-text.js';
import { ReadFiles } from './read-files.query.js';
import { UploadFile } from './upload-file.action.js';
import { filePathParameters, linkResponseBody, noParameters, uploadResponseBody } from './uploads.schemas.js';

/** Endpoints that upload files and create temporary links to files (docs/contract/chat.md 2.C). */
@Controller('api/v1/user_uploads')
export class UploadsController {
  constructor(
    private readonly uploadFile: UploadFile,
    private readonly files: ReadFiles,
  ) {}

  @Post()
  @HttpCode(200)
  @FileFormDefinition()
  @DescribeEndpoint({
    operationId: 'upload-file',
    scope: 'send',
    summary: 'Uploads a file to link in messages',
    tags: ['uploads'],
    security: ['basic'],
    body: fileFormBodySchema,
    responses: { 200: { description: 'URL of the file', schema: uploadResponseBody }, ...commonErrorResponses },
  })
  upload(
    @CurrentActor() actor: ChatActor,
    @MultipartForm() form: FileUploadForm,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.uploadFile.run(actor, form);
  }

  @Get(':realm_id/*')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'get-file-temporary-url',
    scope: 'read',
    path: '/api/v1/user_uploads/{realm_id}/{path}',
    pathParams: filePathParameters,
    summary: 'Creates a link to a file that needs no credentials for 60 seconds',
    tags: ['uploads'],
    description: 'Organizations with public access need no credentials for files in web-public channels.',
    security: ['basic'],
    responses: {
      200: { description: 'The link', schema: linkResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  link(
    @CurrentActor() actor: ChatActor | null,
    @RequestHost() host: string,
    @PathId('realm_id') realmId: number,
    @PathRemainder() tail: string,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.files.createTemporaryLink({ actor, host }, `${realmId}/${tail}`);
  }
}
