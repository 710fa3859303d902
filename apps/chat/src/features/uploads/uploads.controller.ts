import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import {
  fileFormBodySchema,
  type FileUploadForm,
  MultipartFormParameter,
  DescribeFileUploadForm,
} from '../../infra/http/file-upload-form.js';
import { RequestParameters, RequestHost } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { RemainderOfUrlPath } from '../../infra/http/url-path-text.js';
import { ReadUploadedFiles } from './read-files.query.js';
import { UploadFile } from './upload-file.action.js';
import {
  uploadedFilePathParameters,
  temporaryFileLinkResponseBody,
  emptyRequestParameters,
  uploadResponseBody,
} from './uploads.schemas.js';

/** Endpoints that upload files and create temporary links to files (docs/contract/chat.md 2.C). */
@Controller('api/v1/user_uploads')
export class FileUploadsController {
  constructor(
    private readonly uploadFile: UploadFile,
    private readonly files: ReadUploadedFiles,
  ) {}

  @Post()
  @HttpCode(200)
  @DescribeFileUploadForm()
  @DescribeEndpoint({
    operationId: 'upload-file',
    scope: 'send',
    summary: 'Uploads a file to link in messages',
    tags: ['uploads'],
    security: ['basic'],
    body: fileFormBodySchema,
    responses: { 200: { description: 'URL of the file', schema: uploadResponseBody }, ...commonErrorResponses },
  })
  uploadFormFile(
    @CurrentActor() actor: ChatActor,
    @MultipartFormParameter() form: FileUploadForm,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.uploadFile.run(actor, form);
  }

  @Get(':realm_id/*')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'get-file-temporary-url',
    scope: 'read',
    path: '/api/v1/user_uploads/{realm_id}/{path}',
    pathParams: uploadedFilePathParameters,
    summary: 'Creates a link to a file that needs no credentials for 60 seconds',
    tags: ['uploads'],
    description: 'Organizations with public access need no credentials for files in web-public channels.',
    security: ['basic'],
    responses: {
      200: { description: 'The link', schema: temporaryFileLinkResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  createTemporaryFileLink(
    @CurrentActor() actor: ChatActor | null,
    @RequestHost() host: string,
    @IdFromUrlPath('realm_id') realmId: number,
    @RemainderOfUrlPath() tail: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.files.createTemporaryLink({ actor, host }, `${realmId}/${tail}`);
  }
}
