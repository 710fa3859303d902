import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { ProfileFieldsService } from './profile-fields.action.js';
import {
  addProfileFieldResponseBody,
  addFieldParameters,
  emptyResponseBody,
  fieldPathParameters,
  listFieldsResponseBody,
  noParameters,
  reorderFieldsParameters,
  updateFieldParameters,
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
    responses: { 200: { description: 'The fields', schema: listFieldsResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _parameters: object) {
    return this.fields.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-custom-profile-field',
    summary: 'Creates a custom profile field',
    tags: ['server'],
    security: ['basic'],
    body: createFormBodies(addFieldParameters),
    responses: {
      200: { description: 'Id of the new object', schema: addProfileFieldResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @Parameters(addFieldParameters) parameters: ParametersOf<typeof addFieldParameters>,
  ) {
    return this.fields.add(actor, parameters);
  }

  @Patch()
  @DescribeEndpoint({
    operationId: 'reorder-custom-profile-fields',
    summary: 'Reorders the custom profile fields',
    tags: ['server'],
    security: ['basic'],
    body: createFormBodies(reorderFieldsParameters),
    responses: { 200: { description: 'The order is stored', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  reorder(
    @CurrentActor() actor: ChatActor,
    @Parameters(reorderFieldsParameters) { order }: ParametersOf<typeof reorderFieldsParameters>,
  ) {
    return this.fields.reorder(actor, order);
  }

  @Patch(':field_id')
  @DescribeEndpoint({
    operationId: 'update-custom-profile-field',
    pathParams: fieldPathParameters,
    summary: 'Updates a custom profile field',
    tags: ['server'],
    security: ['basic'],
    body: createFormBodies(updateFieldParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @PathId('field_id') fieldId: number,
    @Parameters(updateFieldParameters) parameters: ParametersOf<typeof updateFieldParameters>,
  ) {
    return this.fields.update(actor, fieldId, parameters);
  }

  @Delete(':field_id')
  @DescribeEndpoint({
    operationId: 'delete-custom-profile-field',
    pathParams: fieldPathParameters,
    summary: 'Deletes a custom profile field with the values of all users',
    tags: ['server'],
    security: ['basic'],
    responses: { 200: { description: 'Removed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @PathId('field_id') fieldId: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.fields.remove(actor, fieldId);
  }
}
