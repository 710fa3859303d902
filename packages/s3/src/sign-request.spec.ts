import { describe, expect, it } from 'vitest';
import { encodeS3Path, createSignedS3Headers } from './sign-request.js';

/**
 * Credentials and requests of the examples in the S3 API reference, section "Signature Calculations for the
 * Authorization Header".
 */
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const now = Date.UTC(2013, 4, 24);
const bucket = 'https://examplebucket.s3.amazonaws.com';

describe('createSignedS3Headers', () => {
  it.each([
    [
      'an object in part',
      `${bucket}/test.txt`,
      { range: 'bytes=0-9' },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'a parameter without a value',
      `${bucket}/?lifecycle`,
      {},
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'parameters in their order',
      `${bucket}/?max-keys=2&prefix=J`,
      {},
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('signs %s like the reference implementation', async (_name, url, headers, signature) => {
    const request = { method: 'GET', url: new URL(url), headers, body: Buffer.alloc(0) };
    const signed = await createSignedS3Headers(request, credentials, now);
    expect(signed['authorization']).toContain(`Signature=${signature}`);
  });
});

describe('encodeS3Path', () => {
  it('escapes all characters except unreserved characters and slashes', () => {
    expect(encodeS3Path("uploads/1/a b/été (1)'!*.txt")).toBe('uploads/1/a%20b/%C3%A9t%C3%A9%20%281%29%27%21%2A.txt');
  });
});
