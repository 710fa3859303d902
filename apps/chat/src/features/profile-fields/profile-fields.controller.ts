import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { ProfileFieldsService } from './profile-fields.action.js';
import {
  addProfileFieldResponseBody,
  profileFieldCreationParameters,
  emptyResponseBody,
  profileFieldPathParameters,
  profileFieldListResponseBody,
  emptyRequestParameters,
  profileFieldOrderParameters,
  profileFieldUpdateParameters,
} from './profile-fields.schemas.js';

/** Endpoints for custom profile fields (chat-4.9, docs/contract/chat.md 2.H). */
@Controller('api/v1/realm/profile_fields')
export class ProfileFieldsController {
  constructor(private readonly fields: ProfileFieldsService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-custom-profile-fields',
    scope: 'read',
    summary: 'Lists the custom profile fields in their order',
    tags: ['server'],
    security: ['basic'],
    responses: { 200: { description: 'The fields', schema: profileFieldListResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.fields.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-custom-profile-field',
    summary: 'Creates a custom profile field',
    tags: ['server'],
    security: ['basic'],
    body: createOpenApiFormBodies(profileFieldCreationParameters),
    responses: {
      200: { description: 'Id of the new object', schema: addProfileFieldResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(profileFieldCreationParameters) parameters: DecodedParametersOfDefinition<
      typeof profileFieldCreationParameters
    >,
  ) {
    return this.fields.add(actor, parameters);
  }

  @Patch()
  @DescribeEndpoint({
    operationId: 'reorder-custom-profile-fields',
    summary: 'Reorders the custom profile fields',
    tags: ['server'],
    security: ['basic'],
    body: createOpenApiFormBodies(profileFieldOrderParameters),
    responses: { 200: { description: 'The order is stored', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  reorder(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(profileFieldOrderParameters) {
      order,
    }: DecodedParametersOfDefinition<typeof profileFieldOrderParameters>,
  ) {
    return this.fields.reorder(actor, order);
  }

  @Patch(':field_id')
  @DescribeEndpoint({
    operationId: 'update-custom-profile-field',
    pathParams: profileFieldPathParameters,
    summary: 'Updates a custom profile field',
    tags: ['server'],
    security: ['basic'],
    body: createOpenApiFormBodies(profileFieldUpdateParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('field_id') fieldId: number,
    @RequestParameters(profileFieldUpdateParameters) parameters: DecodedParametersOfDefinition<
      typeof profileFieldUpdateParameters
    >,
  ) {
    return this.fields.update(actor, fieldId, parameters);
  }

  @Delete(':field_id')
  @DescribeEndpoint({
    operationId: 'delete-custom-profile-field',
    pathParams: profileFieldPathParameters,
    summary: 'Deletes a custom profile field with the values of all users',
    tags: ['server'],
    security: ['basic'],
    responses: { 200: { description: 'Removed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('field_id') fieldId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.fields.remove(actor, fieldId);
  }
}
