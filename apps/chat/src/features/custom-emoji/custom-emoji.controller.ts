import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import {
  commonErrorResponses,
  notFoundErrorResponse,
  createSuccessBodySchema,
} from '../../infra/http/envelope.schemas.js';
import {
  fileFormBodySchema,
  type FileUploadForm,
  MultipartFormParameter,
  DescribeFileUploadForm,
} from '../../infra/http/file-upload-form.js';
import { RequestParameters } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { TextFromUrlPath } from '../../infra/http/url-path-text.js';
import { CustomEmojiService } from './custom-emoji.action.js';
import { wireEmojiMapSchema } from './wire-emoji.js';

const customEmojiPathParameters = z.object({ emoji_name: z.string() });
const emptyRequestParameters = defineParameters(z.object({}));
const emptyResponseBody = createSuccessBodySchema({});
const customEmojiListResponseBody = createSuccessBodySchema({
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
    responses: { 200: { description: 'The emoji', schema: customEmojiListResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.emoji.list(actor);
  }

  @Post(':emoji_name')
  @HttpCode(200)
  @DescribeFileUploadForm()
  @DescribeEndpoint({
    operationId: 'upload-custom-emoji',
    summary: 'Uploads a custom emoji as one image file',
    tags: ['emoji'],
    security: ['basic'],
    pathParams: customEmojiPathParameters,
    body: fileFormBodySchema,
    responses: { 200: { description: 'Added', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @TextFromUrlPath('emoji_name') name: string,
    @MultipartFormParameter() form: FileUploadForm,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.emoji.add(actor, name, form);
  }

  @Delete(':emoji_name')
  @DescribeEndpoint({
    operationId: 'deactivate-custom-emoji',
    summary: 'Deactivates a custom emoji',
    tags: ['emoji'],
    security: ['basic'],
    pathParams: customEmojiPathParameters,
    responses: {
      200: { description: 'Deactivated', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @TextFromUrlPath('emoji_name') name: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.emoji.remove(actor, name);
  }
}
