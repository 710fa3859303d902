import { createRequire } from 'node:module';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import { ApiDocumentation } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import { inventoryErrors } from '../errors.js';
import { browsablePageScript } from './browsable-page-script.js';
import { csrfCookie } from './cookies.js';

const apiDocumentation = new ApiDocumentation({
  title: 'Inventory REST API',
  documentPath: '/api/schema/?format=json',
  assetsPath: '/api/schema/assets',
  csrf: { cookie: csrfCookie, header: 'X-CSRFToken' },
  resolve: createRequire(import.meta.url).resolve,
});

/**
 * Name of the script of the API's browsable HTML pages. The service serves the script together with the files of the
 * documentation pages.
 */
const browsablePageScriptName = 'browse.js';
const browsablePageScriptFile = { contentType: 'text/javascript; charset=utf-8', content: browsablePageScript };

/**
 * Endpoints that show the API documentation as public HTML pages: Swagger UI and Redoc (docs/contract/inventory.md
 * 1.12).
 */
@Controller('api/schema')
export class ApiDocumentationController {
  @Public()
  @Get('swagger-ui')
  async showSwaggerUi(@Res() reply: FastifyReply): Promise<void> {
    await reply.headers(apiDocumentation.pageHeaders).send(apiDocumentation.renderSwaggerUi());
  }

  @Public()
  @Get('redoc')
  async showRedoc(@Res() reply: FastifyReply): Promise<void> {
    await reply.headers(apiDocumentation.pageHeaders).send(apiDocumentation.renderRedoc());
  }

  /**
   * Responds with a file that the API documentation pages use, such as a script.
   *
   * @throws ApplicationError NOT_FOUND for any other file
   */
  @Public()
  @Get('assets/:name')
  async sendDocumentationAsset(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const asset = name === browsablePageScriptName ? browsablePageScriptFile : await apiDocumentation.findAsset(name);
    if (asset === null) throw inventoryErrors.create('NOT_FOUND');
    const headers = { 'content-type': asset.contentType, 'cache-control': 'public, max-age=3600' };
    await reply.headers(headers).send(asset.content);
  }
}
