import type { VideoConfig } from './video-env.js';

/** Numbers of the providers in the realm setting `video_chat_provider` (docs/contract/chat.md 4.3). */
export const videoProvider = { disabled: 0, jitsi: 1, zoom: 3, bigBlueButton: 4 } as const;

/** Jitsi server that clients use if neither the organization nor the operator configures one. */
const publicJitsi = 'https://meet.jit.si';

/** Returns true if users can connect their Zoom accounts. */
export function hasZoom(config: VideoConfig): boolean {
  return config.VIDEO_ZOOM_CLIENT_ID !== '' && config.VIDEO_ZOOM_CLIENT_SECRET !== '';
}

/** Returns true if a BigBlueButton server is configured. */
export function hasBigBlueButton(config: VideoConfig): boolean {
  return config.BIG_BLUE_BUTTON_URL !== undefined && config.BIG_BLUE_BUTTON_SECRET !== '';
}

/** Returns the providers that an organization can choose, by their wire names. */
export function availableProviders(config: VideoConfig): Readonly<Record<string, { name: string; id: number }>> {
  return {
    disabled: { name: 'None', id: videoProvider.disabled },
    jitsi_meet: { name: 'Jitsi Meet', id: videoProvider.jitsi },
    ...(hasZoom(config) && { zoom: { name: 'Zoom', id: videoProvider.zoom } }),
    ...(hasBigBlueButton(config) && { big_blue_button: { name: 'BigBlueButton', id: videoProvider.bigBlueButton } }),
  };
}

/** Returns the Jitsi server of organizations without one of their own, as sent to clients. */
export function serverJitsiUrl(config: VideoConfig): string {
  return config.JITSI_SERVER_URL ?? publicJitsi;
}
