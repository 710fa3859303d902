import { Controller, Get, Res } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { emojiNamesByCode, emojiDataPath } from '../../infra/emoji/emoji-data.js';

const emojiDataResponseBody = z.strictObject({
  code_to_names: z.record(z.string(), z.array(z.string())).meta({ description: 'Names of each emoji, by its code' }),
});

const emojiDataText = JSON.stringify(emojiNamesByCode);

/** Endpoint for the file of Unicode emoji to which `server_emoji_data_url` refers. */
@Controller()
export class EmojiDataController {
  @Get(emojiDataPath)
  @Public()
  @DescribeEndpoint({
    operationId: 'get-emoji-data',
    summary: 'Lists the names of Unicode emoji by code',
    tags: ['emoji'],
    security: 'none',
    responses: { 200: { description: 'The names', schema: emojiDataResponseBody } },
  })
  async get(@Res() reply: FastifyReply) {
    await reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'public, max-age=86400',
        'access-control-allow-origin': '*',
      })
      .send(emojiDataText);
  }
}
