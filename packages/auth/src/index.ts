export type { Actor } from './actor.js';
export { parseBasicAuthorization, type BasicHeader } from './basic.js';
export { timingSafeEqualText } from './constant-time.js';
export {
  type KeyKind,
  type KeyProof,
  readKeyProofs,
  requireStoredKeys,
  StoredKeyError,
  verifyKeyProofs,
  verifyStoredKeys,
} from './key-rotation/keys-in-use.js';
export {
  runSecretsCommand,
  type SecretsCommandArguments,
  type SecretsCommandOptions,
  secretsCommandUsage,
} from './key-rotation/secrets-command.js';
export type {
  ComputableDigest,
  DigestColumn,
  KeyRing,
  RowTexts,
  SealedColumn,
  SecretsDatabase,
  SecretsReader,
  StoredSecrets,
} from './key-rotation/stored-secrets.js';
export { loginCounterAddressOf } from './counted-address.js';
export { CredentialCache, type CredentialCacheOptions } from './credential-cache.js';
export { type CsrfCheck, type CsrfProblem, findCsrfProblem } from './csrf.js';
export type { InvalidationListener, Invalidations } from './invalidations.js';
export { KeyMaterialError } from './key-material.js';
export {
  type PasswordCharacter,
  type PasswordPolicy,
  type PasswordProblem,
  passwordProblems,
} from './password-policy.js';
export { dummyVerify, hashPassword, needsNewPasswordHash, verifyPassword } from './passwords.js';
export { Pepper, type PepperedDigest } from './pepper.js';
export { generateApiKey, generateTokenKey, generateTokenSecret } from './random-keys.js';
export { RedisInvalidations, type RedisInvalidationsOptions } from './redis-invalidations.js';
export { SecretBox, SecretBoxError, type SecretBoxFault, type SecretBoxOptions } from './secret-box.js';
export {
  storeApiKey,
  storeToken,
  type CredentialStore,
  type StoredApiKey,
  type StoredToken,
} from './stored-credentials.js';
export { formatToken, parseTokenHeader, tokenPrefix, type TokenHeader, type TokenHeaderFault } from './token-header.js';
