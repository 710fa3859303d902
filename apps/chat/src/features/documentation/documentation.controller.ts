import { createRequire } from 'node:module';
import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import { ApiDocumentation } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import type { ChatConfig } from '../../config.js';
import { chatErrors } from '../../errors.js';
import { htmlPageResponseHeaders } from '../../infra/http/html-page.js';
import { CHAT_CONFIG_TOKEN, OPENAPI_TEXT_FUNCTION_TOKEN } from '../../tokens.js';
import { announcedServerVersion } from '../../core/realms/index.js';
import { renderFrontPage } from './chat-front-page.js';

const openApiDocumentPath = '/api/v1/openapi.json';
const cacheHeaders = { 'cache-control': 'public, max-age=3600' };

const apiDocumentation = new ApiDocumentation({
  title: 'Switchboard chat API',
  documentPath: openApiDocumentPath,
  assetsPath: '/docs/assets',
  resolve: createRequire(import.meta.url).resolve,
});

/** Serves the front page for browsers, and the OpenAPI document. Neither belongs to the API contract. */
@Controller()
export class DocumentationController {
  constructor(
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: ChatConfig,
    @Inject(OPENAPI_TEXT_FUNCTION_TOKEN) private readonly contractText: () => string,
  ) {}

  @Get()
  @Public()
  async showFrontPage(@Res() reply: FastifyReply): Promise<void> {
    const development = this.config.NODE_ENV === 'development';
    await reply
      .headers(htmlPageResponseHeaders)
      .send(renderFrontPage({ featureLevel: announcedServerVersion.zulip_feature_level, development }));
  }

  @Get('api/v1/openapi.json')
  @Public()
  async sendOpenApiDocument(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .headers({ ...cacheHeaders, 'content-type': 'application/json; charset=utf-8' })
      .send(this.contractText());
  }

  @Get('docs/swagger-ui')
  @Public()
  async sendSwaggerUiPage(@Res() reply: FastifyReply): Promise<void> {
    await reply.headers(apiDocumentation.pageHeaders).send(apiDocumentation.renderSwaggerUi());
  }

  @Get('docs/redoc')
  @Public()
  async sendRedocPage(@Res() reply: FastifyReply): Promise<void> {
    await reply.headers(apiDocumentation.pageHeaders).send(apiDocumentation.renderRedoc());
  }

  /**
   * Serves an image of the documentation pages.
   *
   * @throws ApplicationError NOT_FOUND for a name that no documentation page uses
   */
  @Get('docs/assets/:name')
  @Public()
  async sendDocumentationAsset(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const asset = await apiDocumentation.findAsset(name);
    if (asset === null) throw chatErrors.create('NOT_FOUND');
    await reply.headers({ ...cacheHeaders, 'content-type': asset.contentType }).send(asset.content);
  }
}
