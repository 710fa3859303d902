import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse, successBody } from '../../infra/http/envelope.schemas.js';
import {
  fileFormBodySchema,
  type FileUploadForm,
  MultipartForm,
  FileFormDefinition,
} from '../../infra/http/file-upload-form.js';
import { Parameters } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { PathText } from '../../infra/http/path-text.js';
import { CustomEmojiService } from './custom-emoji.action.js';
import { wireEmojiMapSchema } from './wire-emoji.js';

const pathParams = z.object({ emoji_name: z.string() });
const noParameters = defineParameters(z.object({}));
const emptyResponseBody = successBody({});
const listEmojiResponseBody = successBody({
  emoji: wireEmojiMapSchema.meta({ description: 'Emoji by id, including deactivated ones' }),
});

/** Endpoints for the custom emoji of a realm (docs/contract/chat.md 2.H). */
@Controller('api/v1/realm/emoji')
export class CustomEmojiController {
  constructor(private readonly emoji: CustomEmojiService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-custom-emoji',
    scope: 'read',
    summary: 'Lists the custom emoji of the organization',
    tags: ['emoji'],
    security: ['basic'],
    responses: { 200: { description: 'The emoji', schema: listEmojiResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _parameters: object) {
    return this.emoji.list(actor);
  }

  @Post(':emoji_name')
  @HttpCode(200)
  @FileFormDefinition()
  @DescribeEndpoint({
    operationId: 'upload-custom-emoji',
    summary: 'Uploads a custom emoji as one image file',
    tags: ['emoji'],
    security: ['basic'],
    pathParams,
    body: fileFormBodySchema,
    responses: { 200: { description: 'Added', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @PathText('emoji_name') name: string,
    @MultipartForm() form: FileUploadForm,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.emoji.add(actor, name, form);
  }

  @Delete(':emoji_name')
  @DescribeEndpoint({
    operationId: 'deactivate-custom-emoji',
    summary: 'Deactivates a custom emoji',
    tags: ['emoji'],
    security: ['basic'],
    pathParams,
    responses: {
      200: { description: 'Deactivated', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @PathText('emoji_name') name: string,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.emoji.remove(actor, name);
  }
}
