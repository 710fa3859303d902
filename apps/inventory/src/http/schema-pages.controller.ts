import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { Public } from '@switchboard/auth';
import { type Html, html } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import { errors } from '../errors.js';
import { pageHeaders } from './browsable-page.js';

const { resolve } = createRequire(import.meta.url);

/** What the two pages load, by name: files of their packages, and the text that starts the one that needs it. */
const assets: Readonly<Record<string, { readonly type: string; readonly file?: string; readonly text?: string }>> = {
  'swagger-ui.css': { type: 'text/css', file: 'swagger-ui-dist/swagger-ui.css' },
  'swagger-ui-bundle.js': { type: 'text/javascript', file: 'swagger-ui-dist/swagger-ui-bundle.js' },
  'swagger-ui-start.js': {
    type: 'text/javascript',
    // A list of a thousand operations, each drawn when it is opened.
    text: `SwaggerUIBundle({ url: '/api/schema/?format=json', dom_id: '#documentation', docExpansion: 'none',
      defaultModelsExpandDepth: -1, filter: true, validatorUrl: null });`,
  },
  'redoc.standalone.js': { type: 'text/javascript', file: 'redoc/bundles/redoc.standalone.js' },
};

/** Both draw with styles and images of their own making, and read the schema; nothing comes from elsewhere. */
const policy = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;
  font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'; base-uri 'none'`.replaceAll(
  /\s+/g,
  ' ',
);

/** The schema as pages for people (contract 1.12): Swagger UI and Redoc, public as the schema is. */
@Controller('api/schema')
export class SchemaPagesController {
  @Public()
  @Get('swagger-ui')
  swaggerUi(@Res() reply: FastifyReply): void {
    sendPage(
      reply,
      html`<link rel="stylesheet" href="/api/schema/assets/swagger-ui.css" />
        <div id="documentation"></div>
        <script src="/api/schema/assets/swagger-ui-bundle.js"></script>
        <script src="/api/schema/assets/swagger-ui-start.js"></script>`,
    );
  }

  @Public()
  @Get('redoc')
  redoc(@Res() reply: FastifyReply): void {
    sendPage(
      reply,
      html`<redoc spec-url="/api/schema/?format=json"></redoc>
        <script type="module" src="/api/schema/assets/redoc.standalone.js"></script>`,
    );
  }

  /** @throws AppError NOT_FOUND for a name that neither page asks for */
  @Public()
  @Get('assets/:name')
  async asset(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (asset === undefined) throw errors.create('NOT_FOUND');
    const { type, file, text } = asset;
    const content = file === undefined ? text : await readFile(resolve(file), 'utf8');
    await reply
      .headers({ 'content-type': `${type}; charset=utf-8`, 'cache-control': 'public, max-age=3600' })
      .send(content);
  }
}

function sendPage(reply: FastifyReply, body: Html): void {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Inventory REST API</title>
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  void reply.headers({ ...pageHeaders, 'content-security-policy': policy }).send(page.text);
}
