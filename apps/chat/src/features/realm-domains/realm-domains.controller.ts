import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { TextFromUrlPath } from '../../infra/http/url-path-text.js';
import { RealmDomainsService } from './realm-domains.action.js';
import {
  realmDomainCreationParameters,
  realmDomainPathParameters,
  realmDomainListResponseBody,
  emptySuccessResponseBody,
  realmDomainCreationResponseBody,
  emptyRequestParameters,
  realmDomainUpdateParameters,
} from './realm-domains.schemas.js';

const realmDomainsTags = ['organization'];
const realmDomainsSecurity = ['basic'];
const emptyRealmDomainResponses = {
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
    responses: { 200: { description: 'The domains', schema: realmDomainListResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.domains.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-realm-domain',
    summary: 'Allows addresses of an email domain to join',
    tags: realmDomainsTags,
    security: realmDomainsSecurity,
    body: createOpenApiFormBodies(realmDomainCreationParameters),
    responses: {
      200: { description: 'Id and name of the domain', schema: realmDomainCreationResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(realmDomainCreationParameters) parameters: DecodedParametersOfDefinition<
      typeof realmDomainCreationParameters
    >,
  ) {
    return this.domains.add(actor, parameters);
  }

  @Patch(':domain')
  @DescribeEndpoint({
    operationId: 'update-realm-domain',
    summary: 'Sets whether addresses of subdomains of a domain may join',
    tags: realmDomainsTags,
    security: realmDomainsSecurity,
    pathParams: realmDomainPathParameters,
    body: createOpenApiFormBodies(realmDomainUpdateParameters),
    responses: emptyRealmDomainResponses,
  })
  update(
    @CurrentActor() actor: ChatActor,
    @TextFromUrlPath('domain') domain: string,
    @RequestParameters(realmDomainUpdateParameters) parameters: DecodedParametersOfDefinition<
      typeof realmDomainUpdateParameters
    >,
  ) {
    return this.domains.update(actor, { domain, ...parameters });
  }

  @Delete(':domain')
  @DescribeEndpoint({
    operationId: 'remove-realm-domain',
    summary: 'Removes an email domain from those whose addresses may join',
    tags: realmDomainsTags,
    security: realmDomainsSecurity,
    pathParams: realmDomainPathParameters,
    responses: emptyRealmDomainResponses,
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @TextFromUrlPath('domain') domain: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.domains.remove(actor, domain);
  }
}
