import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { z } from 'zod';
import type { ChatConfig } from '../../config.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import { MessageRenderer } from '../../infra/markdown/index.js';
import { getRealmImageUrl } from './realm-images.js';
import { getRealmOfHost } from './realms.repository.js';
import type { serverSettingsResponseBody } from './realms.schemas.js';
import { announcedServerVersion } from './announced-server-version.js';

type ServerSettings = Omit<z.infer<typeof serverSettingsResponseBody>, 'result' | 'msg'>;

/** Handles the request GET /server_settings, which returns settings of the server and the realm. */
@Injectable()
export class GetServerSettings {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: ChatConfig,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
  ) {}

  /**
   * Returns the settings of the server and of the realm of the requested host.
   *
   * @throws ApplicationError NONEXISTENT_SUBDOMAIN
   */
  async run(request: { host: string; origin: string; userAgent: string }): Promise<ServerSettings> {
    const realm = await getRealmOfHost(this.database, request.host);
    return {
      ...announcedServerVersion,
      authentication_methods: listAuthenticationMethods(this.config.NODE_ENV !== 'production'),
      external_authentication_methods: [],
      push_notifications_enabled: false,
      is_incompatible: request.userAgent.startsWith('ZulipInvalid'),
      email_auth_enabled: true,
      require_email_format_usernames: true,
      realm_url: request.origin,
      realm_uri: request.origin,
      realm_name: realm.name,
      realm_icon: getRealmImageUrl(realm, 'icon'),
      realm_description: this.renderer.renderPlain(realm.description),
      realm_web_public_access_enabled: realm.hasSpectators,
    };
  }
}

function listAuthenticationMethods(dev: boolean): ServerSettings['authentication_methods'] {
  return {
    password: true,
    dev,
    email: true,
    ldap: false,
    remoteuser: false,
    github: false,
    azuread: false,
    gitlab: false,
    apple: false,
    google: false,
    saml: false,
    'openid connect': false,
  };
}
