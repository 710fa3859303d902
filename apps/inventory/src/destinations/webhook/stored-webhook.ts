import type { StoredActionObject } from '../define-destination.js';

/** A webhook as stored in the database; its secrets are encrypted. */
export interface StoredWebhook extends StoredActionObject {
  readonly payloadUrl: string;
  readonly httpMethod: string;
  readonly httpContentType: string;
  readonly additionalHeaders: string;
  readonly bodyTemplate: string;
  readonly secret: string;
  /**
   * Replaced secrets of the webhook, newest first: each encrypted, with the time of replacement in milliseconds since
   * the epoch.
   */
  readonly formerSecrets: readonly { readonly secret: string; readonly rotated: number }[];
  readonly sslVerification: boolean;
  readonly caFilePath: string | null;
}
