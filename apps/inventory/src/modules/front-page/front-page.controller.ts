import { Controller, Get, Res } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import type { FastifyReply } from 'fastify';
import { htmlPageHeaders } from '../../http/browsable-page.js';
import { renderFrontPage } from './front-page.js';

/** Endpoint `/`, which shows the front page of the service to browsers. */
@Controller()
export class FrontPageController {
  @Public()
  @Get()
  async showFrontPage(@Res() reply: FastifyReply): Promise<void> {
    await reply.headers(htmlPageHeaders).send(renderFrontPage());
  }
}
