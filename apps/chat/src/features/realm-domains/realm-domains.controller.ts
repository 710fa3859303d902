import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathText } from '../../infra/http/path-text.js';
import { RealmDomainsService } from './realm-domains.action.js';
import {
  addDomainParameters,
  domainPathParameters,
  domainsResponseBody,
  emptySuccessResponseBody,
  newDomainResponseBody,
  noParameters,
  updateDomainParameters,
} from './realm-domains.schemas.js';

const realmDomainsTags = ['organization'];
const realmDomainsSecurity = ['basic'];
const realmDomainsResponses = {
  200: { description: 'Done', schema: emptySuccessResponseBody },
  ...commonErrorResponses,
  ...notFoundErrorResponse,
};

/** Endpoints for the email domains that a realm accepts for new accounts (docs/contract/chat.md 2.H). */
@Controller('api/v1/realm/domains')
export class RealmDomainsController {
  constructor(private readonly domains: RealmDomainsService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-realm-domains',
    scope: 'read',
    summary: 'Lists the email domains whose addresses may join the organization',
    tags: realmDomainsTags,
    security: realmDomainsSecurity,
    responses: { 200: { description: 'The domains', schema: domainsResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _parameters: object) {
    return this.domains.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-realm-domain',
    summary: 'Allows addresses of an email domain to join',
    tags: realmDomainsTags,
    security: realmDomainsSecurity,
    body: createFormBodies(addDomainParameters),
    responses: {
      200: { description: 'Id and name of the domain', schema: newDomainResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @Parameters(addDomainParameters) parameters: ParametersOf<typeof addDomainParameters>,
  ) {
    return this.domains.add(actor, parameters);
  }

  @Patch(':domain')
  @DescribeEndpoint({
    operationId: 'update-realm-domain',
    summary: 'Sets whether addresses of subdomains of a domain may join',
    tags: realmDomainsTags,
    security: realmDomainsSecurity,
    pathParams: domainPathParameters,
    body: createFormBodies(updateDomainParameters),
    responses: realmDomainsResponses,
  })
  update(
    @CurrentActor() actor: ChatActor,
    @PathText('domain') domain: string,
    @Parameters(updateDomainParameters) parameters: ParametersOf<typeof updateDomainParameters>,
  ) {
    return this.domains.update(actor, { domain, ...parameters });
  }

  @Delete(':domain')
  @DescribeEndpoint({
    operationId: 'remove-realm-domain',
    summary: 'Removes an email domain from those whose addresses may join',
    tags: realmDomainsTags,
    security: realmDomainsSecurity,
    pathParams: domainPathParameters,
    responses: realmDomainsResponses,
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @PathText('domain') domain: string,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.domains.remove(actor, domain);
  }
}
