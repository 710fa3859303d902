export { openConfiguredS3Bucket, type S3EnvironmentValues } from './configured-bucket.js';
export type { ListedS3Object } from './list-objects.js';
export { type S3ByteRange, S3Bucket } from './s3-bucket.js';
export { S3Client, S3Error, type S3ClientOptions, type S3Request } from './s3-client.js';
export type { S3Credentials } from './sign-request.js';
