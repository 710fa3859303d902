import { Controller, Get, Headers } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import { badRequestBody, notFoundResponseBody } from '../../infra/http/envelope.schemas.js';
import { TextFromUrlPath } from '../../infra/http/url-path-text.js';
import { RequestParameters, RequestHost, RequestOrigin } from '../../infra/http/parameter-decorators.js';
import { GetServerSettings } from './get-server-settings.query.js';
import { CheckSubdomain } from './check-subdomain.query.js';
import { emptyRequestParameters, serverSettingsResponseBody, subdomainCheckResponseBody } from './realms.schemas.js';

/** Endpoints that return data about a realm without authentication. */
@Controller('api/v1')
export class RealmsController {
  constructor(
    private readonly serverSettings: GetServerSettings,
    private readonly subdomains: CheckSubdomain,
  ) {}

  @Get('server_settings')
  @Public()
  @DescribeEndpoint({
    operationId: 'get-server-settings',
    summary: 'Returns the version and features of the server and the ways to sign in',
    tags: ['server'],
    security: 'none',
    responses: {
      200: { description: 'The settings', schema: serverSettingsResponseBody },
      404: { description: 'No organization has this host name', schema: notFoundResponseBody },
    },
  })
  getServerSettings(
    @RequestParameters(emptyRequestParameters) _parameters: object,
    @RequestHost() host: string,
    @RequestOrigin() origin: string,
    @Headers('user-agent') userAgent: string | undefined,
  ) {
    return this.serverSettings.run({ host, origin, userAgent: userAgent ?? '' });
  }
  @Get('realm/subdomain/:subdomain')
  @Public()
  @DescribeEndpoint({
    operationId: 'check-subdomain',
    summary: 'Checks whether a new organization could have a subdomain',
    tags: ['server'],
    security: 'none',
    pathParams: z.object({ subdomain: z.string() }),
    responses: {
      200: { description: '`available`, or the reason why the subdomain is not', schema: subdomainCheckResponseBody },
      400: { description: 'The request is invalid', schema: badRequestBody },
    },
  })
  checkSubdomain(
    @TextFromUrlPath('subdomain') subdomain: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.subdomains.run(subdomain);
  }
}
