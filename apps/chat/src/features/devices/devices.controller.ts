import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import {
  commonErrorResponses,
  notFoundErrorResponse,
  createSuccessBodySchema,
} from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { DevicesService } from './devices.action.js';

const emptyRequestParameters = defineParameters(z.object({}));
const deviceRemovalParameters = defineParameters(z.object({ device_id: z.int() }));

/** Endpoints for registered devices of clients (docs/contract/chat.md 2.B). */
@Controller('api/v1')
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Post('register_client_device')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'register-client-device',
    summary: 'Registers a device of the user',
    tags: ['authentication'],
    security: ['basic'],
    responses: {
      200: { description: 'Id of the new object', schema: createSuccessBodySchema({ device_id: z.int() }) },
      ...commonErrorResponses,
    },
  })
  register(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.devices.register(actor);
  }

  @Post('remove_client_device')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'remove-client-device',
    summary: 'Removes a device of the user',
    tags: ['authentication'],
    security: ['basic'],
    body: createOpenApiFormBodies(deviceRemovalParameters),
    responses: {
      200: { description: 'Forgotten', schema: createSuccessBodySchema({}) },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(deviceRemovalParameters) parameters: DecodedParametersOfDefinition<
      typeof deviceRemovalParameters
    >,
  ) {
    return this.devices.remove(actor, parameters.device_id);
  }
}
