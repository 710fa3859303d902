import { Controller, Patch } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestOrigin,
} from '../../infra/http/parameter-decorators.js';
import { emptyResponseBody, defaultSettingsUpdateParameters, updateSettingsParameters } from './settings.schemas.js';
import { UpdateDefaultUserSettings } from './update-default-settings.action.js';
import { UpdateSettings } from './update-settings.action.js';

const settingsUpdateEndpointOptions = {
  tags: ['settings'],
  security: ['basic' as const],
  body: createOpenApiFormBodies(updateSettingsParameters),
  responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
};

/**
 * Endpoints that change settings of users, and default settings of new users (chat-4.1, docs/contract/chat.md 2.G and
 * 2.H).
 */
@Controller('api/v1')
export class SettingsController {
  constructor(
    private readonly updateSettings: UpdateSettings,
    private readonly updateDefaults: UpdateDefaultUserSettings,
  ) {}

  @Patch('settings')
  @DescribeEndpoint({
    ...settingsUpdateEndpointOptions,
    operationId: 'update-settings',
    summary: "Updates the user's settings; administrators may update those of other users",
  })
  updateUserSettings(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(updateSettingsParameters) parameters: DecodedParametersOfDefinition<
      typeof updateSettingsParameters
    >,
    @RequestOrigin() origin: string,
  ) {
    return this.updateSettings.run(actor, parameters, origin);
  }

  @Patch('settings/display')
  @DescribeEndpoint({
    ...settingsUpdateEndpointOptions,
    operationId: 'update-display-settings',
    summary: 'Updates settings of the user, on the older path for display settings',
  })
  updateDisplaySettings(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(updateSettingsParameters) parameters: DecodedParametersOfDefinition<
      typeof updateSettingsParameters
    >,
    @RequestOrigin() origin: string,
  ) {
    return this.updateSettings.run(actor, parameters, origin);
  }

  @Patch('settings/notifications')
  @DescribeEndpoint({
    ...settingsUpdateEndpointOptions,
    operationId: 'update-notification-settings',
    summary: 'Updates settings of the user, on the older path for notification settings',
  })
  updateNotificationSettings(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(updateSettingsParameters) parameters: DecodedParametersOfDefinition<
      typeof updateSettingsParameters
    >,
    @RequestOrigin() origin: string,
  ) {
    return this.updateSettings.run(actor, parameters, origin);
  }

  @Patch('realm/user_settings_defaults')
  @DescribeEndpoint({
    ...settingsUpdateEndpointOptions,
    operationId: 'update-realm-user-settings-defaults',
    summary: 'Updates the default settings of new users',
    body: createOpenApiFormBodies(defaultSettingsUpdateParameters),
  })
  updateRealmDefaults(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(defaultSettingsUpdateParameters) parameters: DecodedParametersOfDefinition<
      typeof defaultSettingsUpdateParameters
    >,
  ) {
    return this.updateDefaults.run(actor, parameters);
  }
}
