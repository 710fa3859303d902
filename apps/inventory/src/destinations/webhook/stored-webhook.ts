import type { StoredActionObject } from '../define-destination.js';

/** A stored webhook, whose secrets are encrypted. */
export interface StoredWebhook extends StoredActionObject {
  readonly payloadUrl: string;
  readonly httpMethod: string;
  readonly httpContentType: string;
  readonly additionalHeaders: string;
  readonly bodyTemplate: string;
  readonly secret: string;
  /**
   * Replaced secrets of the webhook, newest first. Each entry contains the encrypted secret, and the time of
   * replacement in milliseconds since the epoch.
   */
  readonly formerSecrets: readonly { readonly secret: string; readonly rotated: number }[];
  readonly sslVerification: boolean;
  readonly caFilePath: string | null;
}
