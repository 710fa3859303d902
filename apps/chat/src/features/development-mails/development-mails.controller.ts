import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import { DescribeEndpoint, SafeHtml, renderHtml } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import type { ChatConfig } from '../../config.js';
import { htmlPageResponseHeaders, renderHtmlPage } from '../../infra/http/html-page.js';
import { type MailInFolder, listMailsInFolder } from '../../infra/mail/index.js';
import { CHAT_CONFIG_TOKEN } from '../../tokens.js';

/** Maximum number of emails on the web page that shows emails in development mode. */
const maxShownMails = 100;

/**
 * Shows the emails that development mode stores instead of sending. Emails can contain login links, so this controller
 * is never registered in production.
 */
@Controller('emails')
export class DevelopmentMailsController {
  constructor(@Inject(CHAT_CONFIG_TOKEN) private readonly config: ChatConfig) {}

  @Get()
  @Public()
  @DescribeEndpoint({
    operationId: 'show-development-mails',
    summary: 'Shows the newest mails in the mail folder; in development mode only',
    tags: ['mails'],
    security: 'none',
    responses: { 200: { description: 'The mails, newest first', contentType: 'text/html' } },
  })
  async showDevelopmentMails(@Res() reply: FastifyReply) {
    const mails = await listMailsInFolder(this.config.MAIL_FOLDER, maxShownMails);
    const body =
      mails.length === 0 ? renderHtml`<p>There are none.</p>` : new SafeHtml(mails.map(renderMailHtml).join('\n'));
    const page = renderHtmlPage(
      'Mails',
      renderHtml`<h1>Mails</h1>
        ${body}`,
    );
    await reply.headers(htmlPageResponseHeaders).send(page);
  }
}

/** Returns an email as escaped HTML for the web page that shows emails in development mode. */
function renderMailHtml({ headers, text }: MailInFolder): string {
  return renderHtml`<article>
    <h2>${headers.get('subject')}</h2>
    <p>From ${headers.get('from')}, to ${headers.get('to')}</p>
    <pre style="white-space: pre-wrap">${text}</pre>
  </article>`.text;
}
