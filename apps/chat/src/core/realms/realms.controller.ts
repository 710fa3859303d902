import { Controller, Get, Headers } from '@nestjs/common';
import { Public } from '@switchboard/auth';
import { DescribeEndpoint } from '@switchboard/platform';
import { notFoundBody } from '../../infra/http/envelope.schemas.js';
import { Parameters, RequestHost, RequestOrigin } from '../../infra/http/parameter-decorators.js';
import { GetServerSettings } from './get-server-settings.query.js';
import { noParameters, serverSettingsBody } from './realms.schemas.js';

/** Endpoints about a realm that need no authentication. */
@Controller('api/v1')
export class RealmsController {
  constructor(private readonly serverSettings: GetServerSettings) {}

  @Get('server_settings')
  @Public()
  @DescribeEndpoint({
    operationId: 'get-server-settings',
    summary: 'Returns the version and features of the server and the ways to sign in',
    tags: ['server'],
    security: 'none',
    responses: {
      200: { description: 'The settings', schema: serverSettingsBody },
      404: { description: 'No organization has this host name', schema: notFoundBody },
    },
  })
  getServerSettings(
    @Parameters(noParameters) _parameters: object,
    @RequestHost() host: string,
    @RequestOrigin() origin: string,
    @Headers('user-agent') userAgent: string | undefined,
  ) {
    return this.serverSettings.run({ host, origin, userAgent: userAgent ?? '' });
  }
}
