import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { RealmSettings } from '../../core/realms/index.js';

/** Properties of a video call that a user requests. */
export interface VideoCallRequest {
  readonly actor: ChatActor;
  readonly settings: RealmSettings;
  readonly name: string;
  readonly isVideo: boolean;
}

/** Interface to one video-call provider that an organization can choose. */
export interface VideoCallProvider {
  /**
   * Creates a video call and returns its URL.
   *
   * @throws ApplicationError BAD_REQUEST, INVALID_ZOOM_TOKEN, INVALID_VIDEO_CALL_PROVIDER_TOKEN
   */
  createCall(wish: VideoCallRequest): Promise<string>;
}
