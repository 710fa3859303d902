import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import {
  listConsentsResponseBody,
  emptyResponseBody,
  exportPathParameters,
  listExportsResponseBody,
  parseExportType,
  emptyRequestParameters,
  requestedExportResponseBody,
  requestExportParameters,
} from './realm-export.schemas.js';
import { RealmExportsService } from './realm-exports.action.js';

const exportTags = ['organization'];
const exportSecurity = ['basic'];

/** Endpoints for exports of the organization (docs/contract/chat.md 2.H). */
@Controller('api/v1/export/realm')
export class RealmExportController {
  constructor(private readonly exports: RealmExportsService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-realm-exports',
    summary: 'Lists the exports of the organization, oldest first',
    tags: exportTags,
    security: exportSecurity,
    responses: { 200: { description: 'The exports', schema: listExportsResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.exports.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'export-realm',
    summary: 'Requests an export of the organization, which is made in the background',
    description: 'The event `realm_export` reports the link to the archive.',
    tags: exportTags,
    security: exportSecurity,
    body: createOpenApiFormBodies(requestExportParameters),
    responses: {
      200: { description: 'Id of the export', schema: requestedExportResponseBody },
      ...commonErrorResponses,
    },
  })
  requestExport(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(requestExportParameters) parameters: DecodedParametersOfDefinition<
      typeof requestExportParameters
    >,
  ) {
    return this.exports.requestExport(actor, parseExportType(parameters.export_type));
  }

  @Get('consents')
  @DescribeEndpoint({
    operationId: 'get-realm-export-consents',
    summary: 'Lists the active users, and whether each allows the export of their private data',
    tags: exportTags,
    security: exportSecurity,
    responses: { 200: { description: 'The consents', schema: listConsentsResponseBody }, ...commonErrorResponses },
  })
  listConsents(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.exports.listConsents(actor);
  }

  @Delete(':export_id')
  @DescribeEndpoint({
    operationId: 'delete-realm-export',
    summary: 'Deletes the archive of an export',
    tags: exportTags,
    security: exportSecurity,
    pathParams: exportPathParameters,
    responses: {
      200: { description: 'Deleted', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  deleteArchive(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('export_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.exports.deleteArchive(actor, id);
  }
}
