import { Controller, Get, Res } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import type { FastifyReply } from 'fastify';
import { chatErrors } from '../../errors.js';
import { RemainderOfUrlPath } from '../../infra/http/url-path-text.js';
import { staticImagesByPath } from './static-images.js';

/** Endpoint for the images that the service itself provides, such as the default logo. */
@Controller('static/images')
export class StaticImagesController {
  /**
   * Sends an image that the service itself provides.
   *
   * @throws ApplicationError NOT_FOUND
   */
  @Get('*')
  @Public()
  async sendImage(@RemainderOfUrlPath() path: string, @Res() reply: FastifyReply): Promise<void> {
    const image = staticImagesByPath.get(path);
    if (image === undefined) throw chatErrors.create('NOT_FOUND', { message: 'File not found' });
    await reply
      .headers({
        'content-type': image.contentType,
        'cache-control': 'public, max-age=86400',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
      })
      .send(image.content);
  }
}
