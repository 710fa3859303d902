import { createHmac } from 'node:crypto';
import { areTextsEqualInConstantTime } from '@switchboard/auth';

/** A webhook request with the data over which its sender computed the signature. */
interface SignedRequest {
  /** Returns the value of a request header; empty string if the request does not contain the header. */
  header(name: string): string;
  readonly bytes: Buffer;
  readonly nowMs: number;
}

/** Checks the signature with which another service signs its webhook requests. The secret of the bot is the key. */
export interface WebhookSignatureCheck {
  /** Name of the request header with the signature. */
  readonly header: string;
  /** Description of the signature, for the documentation page about webhooks. */
  readonly description: string;
  /** Label of the secret's input field in the forms of clients. */
  readonly label: string;
  isValid(request: SignedRequest, secret: string): boolean;
}

/** Maximum age, in milliseconds, of a signature that contains a time. Senders of webhooks recommend this value. */
const maxSignatureAgeMs = 300_000;

function computeHmac(algorithm: string, secret: string, ...parts: readonly (string | Buffer)[]): string {
  const digest = createHmac(algorithm, secret);
  for (const part of parts) digest.update(part);
  return digest.digest('hex');
}

/**
 * Defines the verification of a request header that contains the hexadecimal HMAC of the request body.
 *
 * @param prefix Text before the HMAC in the header, such as `sha256=`.
 */
export function createBodySignatureCheck(
  header: string,
  { algorithm = 'sha256', prefix = '', label = 'Secret of the webhook' } = {},
): WebhookSignatureCheck {
  return {
    header,
    label,
    description: `\`${header}\`: HMAC-${algorithm.toUpperCase()} of the body`,
    isValid(request, secret) {
      const expected = `${prefix}${computeHmac(algorithm, secret, request.bytes)}`;
      // PagerDuty sends several signatures while a secret is being replaced.
      const sent = request.header(header).slice(0, 2_000).split(',');
      return sent.map((one) => areTextsEqualInConstantTime(one.trim(), expected)).some(Boolean);
    },
  };
}

/** Defines the verification of a request header that contains the bot's secret itself. */
export function createSharedTokenCheck(header: string): WebhookSignatureCheck {
  return {
    header,
    label: 'Secret token of the webhook',
    description: `\`${header}\`: the secret itself`,
    isValid: (request, secret) => areTextsEqualInConstantTime(request.header(header), secret),
  };
}

/**
 * Defines the verification of a request header such as `t=1700000000,v1=<hex>`: an HMAC-SHA256 of the time in seconds,
 * a full stop and the body. The verification refuses signatures that are older than five minutes.
 */
export function createTimedSignatureCheck(header: string, label: string): WebhookSignatureCheck {
  return {
    header,
    label,
    description: `\`${header}\`: time, and HMAC-SHA256 of time and body; at most five minutes old`,
    isValid(request, secret) {
      const parts = request.header(header).slice(0, 2_000).split(',');
      const values = (name: string) => parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(3)] : []));
      const [seconds = ''] = parts.flatMap((part) => (part.startsWith('t=') ? [part.slice(2)] : []));
      if (!/^\d{1,12}$/.test(seconds) || Math.abs(request.nowMs - Number(seconds) * 1000) > maxSignatureAgeMs)
        return false;
      const expected = computeHmac('sha256', secret, `${seconds}.`, request.bytes);
      return values('v1')
        .map((one) => areTextsEqualInConstantTime(one, expected))
        .some(Boolean);
    },
  };
}
