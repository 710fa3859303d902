import { Controller, Get } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { RequestParameters } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { RemainderOfUrlPath } from '../../infra/http/url-path-text.js';
import { ReadUploadedFiles } from './read-files.query.js';
import { uploadedFilePathParameters, emptyRequestParameters, thumbnailStatusResponseBody } from './uploads.schemas.js';

/** Endpoint that web clients poll after an upload until the thumbnail exists (docs/contract/chat.md 2.C). */
@Controller('api/v1/thumbnail/status')
export class ThumbnailStatusController {
  constructor(private readonly files: ReadUploadedFiles) {}

  @Get(':realm_id/*')
  @DescribeEndpoint({
    operationId: 'get-thumbnail-status',
    scope: 'read',
    path: '/api/v1/thumbnail/status/{realm_id}/{path}',
    pathParams: uploadedFilePathParameters,
    summary: 'Checks whether an image that the user uploaded has a thumbnail',
    tags: ['uploads'],
    description: 'Always true for images, because this server creates a thumbnail when it is first requested.',
    security: ['basic'],
    responses: {
      200: { description: 'Whether there is one', schema: thumbnailStatusResponseBody },
      ...commonErrorResponses,
    },
  })
  checkThumbnailStatus(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('realm_id') realmId: number,
    @RemainderOfUrlPath() tail: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.files.getThumbnailStatus(actor, `${realmId}/${tail}`);
  }
}
