import { testS3Credentials, type TestS3Server } from '@switchboard/testing';

/** Returns the environment variables with which a service stores pictures in the bucket `pictures` of a test server. */
export function createS3Environment({ endpoint }: Pick<TestS3Server, 'endpoint'>): Record<string, string> {
  return {
    S3_BUCKET: 'pictures',
    S3_ENDPOINT: endpoint,
    S3_REGION: testS3Credentials.region,
    S3_ACCESS_KEY_ID: testS3Credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: testS3Credentials.secretAccessKey,
  };
}
