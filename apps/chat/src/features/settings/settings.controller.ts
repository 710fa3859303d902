import { Controller, Patch } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf, RequestOrigin } from '../../infra/http/parameter-decorators.js';
import { emptyResponseBody, updateDefaultsParameters, updateSettingsParameters } from './settings.schemas.js';
import { UpdateDefaults } from './update-default-settings.action.js';
import { UpdateSettings } from './update-settings.action.js';

const operationOptions = {
  tags: ['settings'],
  security: ['basic' as const],
  body: createFormBodies(updateSettingsParameters),
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
    private readonly updateDefaults: UpdateDefaults,
  ) {}

  @Patch('settings')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'update-settings',
    summary: "Updates the user's settings; administrators may update those of other users",
  })
  update(
    @CurrentActor() actor: ChatActor,
    @Parameters(updateSettingsParameters) parameters: ParametersOf<typeof updateSettingsParameters>,
    @RequestOrigin() origin: string,
  ) {
    return this.updateSettings.run(actor, parameters, origin);
  }

  @Patch('settings/display')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'update-display-settings',
    summary: 'An older endpoint to update settings; clients should use update-settings',
  })
  updateDisplay(
    @CurrentActor() actor: ChatActor,
    @Parameters(updateSettingsParameters) parameters: ParametersOf<typeof updateSettingsParameters>,
    @RequestOrigin() origin: string,
  ) {
    return this.updateSettings.run(actor, parameters, origin);
  }

  @Patch('settings/notifications')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'update-notification-settings',
    summary: 'An older endpoint to update settings; clients should use update-settings',
  })
  updateNotifications(
    @CurrentActor() actor: ChatActor,
    @Parameters(updateSettingsParameters) parameters: ParametersOf<typeof updateSettingsParameters>,
    @RequestOrigin() origin: string,
  ) {
    return this.updateSettings.run(actor, parameters, origin);
  }

  @Patch('realm/user_settings_defaults')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'update-realm-user-settings-defaults',
    summary: 'Updates the default settings of new users',
    body: createFormBodies(updateDefaultsParameters),
  })
  updateRealmDefaults(
    @CurrentActor() actor: ChatActor,
    @Parameters(updateDefaultsParameters) parameters: ParametersOf<typeof updateDefaultsParameters>,
  ) {
    return this.updateDefaults.run(actor, parameters);
  }
}
