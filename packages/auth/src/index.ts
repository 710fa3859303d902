export type { Actor } from './actor.js';
export { parseBasicAuthorization, type BasicAuthorizationHeader } from './basic-authorization.js';
export { areTextsEqualInConstantTime } from './constant-time.js';
export {
  type SecretKeyKind,
  type KeyProof,
  readKeyProofs,
  requireStoredKeys,
  StoredKeyError,
  verifyKeyProofs,
  verifyStoredKeys,
} from './key-rotation/stored-key-proofs.js';
export {
  runSecretsCommand,
  type SecretsCommandArguments,
  type SecretsCommandOptions,
  secretsCommandUsage,
} from './key-rotation/secrets-command.js';
export type {
  ComputableDigest,
  DigestColumn,
  ServiceKeys,
  SealedRowTexts,
  SealedColumn,
  SecretsDatabase,
  SecretsQueryable,
  StoredSecrets,
} from './key-rotation/stored-secrets.js';
export { getLoginCounterKey } from './login-counter-key.js';
export { CredentialCache, type CredentialCacheOptions } from './credential-cache.js';
export { type CsrfCheckRequest, type CsrfProblem, findCsrfProblem } from './check-csrf.js';
export type { CredentialInvalidationListener, CredentialInvalidations } from './credential-invalidations.js';
export { KeyMaterialError } from './key-material-error.js';
export {
  type PasswordCharacter,
  type PasswordPolicy,
  type PasswordProblem,
  findPasswordProblems,
} from './password-policy.js';
export { simulatePasswordVerification, hashPassword, needsNewPasswordHash, verifyPassword } from './passwords.js';
export { Pepper, type PepperedDigest } from './pepper.js';
export { generateApiKey, generateTokenKey, generateTokenSecret } from './random-keys.js';
export { RedisCredentialInvalidations, type RedisInvalidationsOptions } from './redis-credential-invalidations.js';
export { SecretBox, SecretBoxError, type DecryptionFault, type SecretBoxOptions } from './secret-box.js';
export {
  createStoredApiKey,
  createStoredToken,
  type CredentialStore,
  type StoredApiKey,
  type StoredToken,
} from './stored-credentials.js';
export {
  formatTokenText,
  parseTokenHeader,
  tokenTextPrefix,
  type TokenAuthorizationHeader,
  type TokenHeaderFault,
} from './token-header.js';
