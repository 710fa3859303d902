import type { VideoConfig } from './video-env.js';

/** Numbers of the video-call providers in the realm setting `video_chat_provider` (docs/contract/chat.md 4.3). */
export const videoCallProviderNumbers = {
  disabled: 0,
  jitsi: 1,
  zoom: 3,
  bigBlueButton: 4,
  constructorGroups: 6,
  nextcloudTalk: 7,
  webex: 8,
} as const;

/** Displayed names of the video-call providers at which users connect their own accounts. */
export const oauthVideoProviderDisplayNames = { zoom: 'Zoom', webex: 'Webex' } as const;

/**
 * Key of a video-call provider at which users connect their own accounts. The key is used in URLs and database rows.
 */
export type OAuthProviderKey = keyof typeof oauthVideoProviderDisplayNames;

/** URL of the Jitsi server that clients use if neither the organization nor the operator configures one. */
const publicJitsiUrl = 'https://meet.jit.si';

/** Returns true if the operator has configured Zoom, so that users can connect their accounts. */
export function isZoomConfigured(config: VideoConfig): boolean {
  return config.VIDEO_ZOOM_CLIENT_ID !== '' && config.VIDEO_ZOOM_CLIENT_SECRET !== '';
}

/** Returns true if the operator has configured Webex, so that users can connect their accounts. */
export function isWebexConfigured(config: VideoConfig): boolean {
  return config.VIDEO_WEBEX_CLIENT_ID !== '' && config.VIDEO_WEBEX_CLIENT_SECRET !== '';
}

/** Returns true if the operator has configured a BigBlueButton server. */
export function isBigBlueButtonConfigured(config: VideoConfig): boolean {
  return config.BIG_BLUE_BUTTON_URL !== undefined && config.BIG_BLUE_BUTTON_SECRET !== '';
}

/** Returns true if the operator has configured Constructor Groups. */
export function isConstructorGroupsConfigured(config: VideoConfig): boolean {
  const {
    CONSTRUCTOR_GROUPS_URL: url,
    CONSTRUCTOR_GROUPS_ACCESS_KEY: key,
    CONSTRUCTOR_GROUPS_SECRET_KEY: secret,
  } = config;
  return url !== undefined && key !== '' && secret !== '';
}

/** Returns true if the operator has configured a Nextcloud server. */
export function isNextcloudTalkConfigured(config: VideoConfig): boolean {
  const { NEXTCLOUD_SERVER: url, NEXTCLOUD_TALK_USERNAME: name, NEXTCLOUD_TALK_PASSWORD: password } = config;
  return url !== undefined && name !== '' && password !== '';
}

/** Returns the video-call providers that an organization can choose, by the names of the providers in the API. */
export function listAvailableVideoProviders(
  config: VideoConfig,
): Readonly<Record<string, { name: string; id: number }>> {
  return {
    disabled: { name: 'None', id: videoCallProviderNumbers.disabled },
    jitsi_meet: { name: 'Jitsi Meet', id: videoCallProviderNumbers.jitsi },
    ...(isZoomConfigured(config) && { zoom: { name: 'Zoom', id: videoCallProviderNumbers.zoom } }),
    ...(isBigBlueButtonConfigured(config) && {
      big_blue_button: { name: 'BigBlueButton', id: videoCallProviderNumbers.bigBlueButton },
    }),
    ...(isConstructorGroupsConfigured(config) && {
      constructor_groups: { name: 'Constructor Groups', id: videoCallProviderNumbers.constructorGroups },
    }),
    ...(isNextcloudTalkConfigured(config) && {
      nextcloud_talk: { name: 'Nextcloud Talk', id: videoCallProviderNumbers.nextcloudTalk },
    }),
    ...(isWebexConfigured(config) && { webex: { name: 'Webex', id: videoCallProviderNumbers.webex } }),
  };
}

/**
 * Returns the URL of the Jitsi server for organizations that have not configured a Jitsi server. Clients receive this
 * URL.
 */
export function getDefaultJitsiServerUrl(config: VideoConfig): string {
  return config.JITSI_SERVER_URL ?? publicJitsiUrl;
}
