import { Controller, Get, Param, Res } from '@nestjs/common';
import { Public } from '@switchboard/auth';
import { DescribeEndpoint, html } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { htmlHeaders, htmlPage } from '../../http/html.js';
import { ConfirmEmail } from './confirm-email.action.js';

const page = { description: 'The address is another now', contentType: 'text/html' };

/** The page that a link to a new address leads to. */
@Controller('accounts/confirm_new_email')
export class EmailChangeController {
  constructor(private readonly confirm: ConfirmEmail) {}

  @Get(':token')
  @Public()
  @DescribeEndpoint({
    operationId: 'confirm-new-email',
    summary: 'Gives an account the address that the link was mailed to',
    tags: ['settings'],
    security: 'none',
    pathParams: z.object({ token: z.string() }),
    responses: { 200: page, 404: { ...page, description: 'The link is not good, or not any more' } },
  })
  async show(@Param('token') token: string, @Res() reply: FastifyReply) {
    const email = await this.confirm.run(token);
    const title = email === null ? 'This link is not good' : 'Your address is confirmed';
    const text = email === null ? 'Ask for another one in your settings.' : `From now on it is ${email}.`;
    await reply
      .status(email === null ? 404 : 200)
      .headers(htmlHeaders)
      .send(
        htmlPage(
          title,
          html`<h1>${title}</h1>
            <p>${text}</p>`,
        ),
      );
  }
}
