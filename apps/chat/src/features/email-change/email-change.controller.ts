import { Controller, Get, Param, Res } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import { ApplicationError } from '@switchboard/errors';
import { DescribeEndpoint, renderHtml } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { htmlPageResponseHeaders, renderHtmlPage } from '../../infra/http/html-page.js';
import { ConfirmEmailChange } from './confirm-email-change.action.js';

const emailChangePageResponse = { description: 'The address is changed', contentType: 'text/html' };

/** Page that confirms a new email address when the user opens the emailed link. */
@Controller('accounts/confirm_new_email')
export class EmailChangeController {
  constructor(private readonly confirm: ConfirmEmailChange) {}

  @Get(':token')
  @Public()
  @DescribeEndpoint({
    operationId: 'confirm-new-email',
    summary: 'Confirms a change of email address by the link in the mail',
    tags: ['settings'],
    security: 'none',
    pathParams: z.object({ token: z.string() }),
    responses: {
      200: emailChangePageResponse,
      400: { ...emailChangePageResponse, description: 'The address cannot be changed to this one' },
      404: { ...emailChangePageResponse, description: 'The link is invalid or has expired' },
    },
  })
  async confirmNewEmail(@Param('token') token: string, @Res() reply: FastifyReply) {
    const { status, title, text } = await this.#confirm(token);
    await reply
      .status(status)
      .headers(htmlPageResponseHeaders)
      .send(
        renderHtmlPage(
          title,
          renderHtml`<h1>${title}</h1>
            <p>${text}</p>`,
        ),
      );
  }

  async #confirm(token: string): Promise<{ status: number; title: string; text: string }> {
    try {
      const email = await this.confirm.run(token);
      return email === null
        ? { status: 404, title: 'This link is not good', text: 'Ask for another one in your settings.' }
        : { status: 200, title: 'Your address is confirmed', text: `From now on it is ${email}.` };
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      return { status: error.status, title: 'Your address was not changed', text: error.message };
    }
  }
}
