export type { AuthenticatedAccount } from './actor.js';
export { parseBasicAuthorization, type BasicAuthorizationHeader } from './basic-authorization.js';
export { areTextsEqualInConstantTime } from './constant-time.js';
export {
  type SecretKeyKind,
  type EncryptionKeyUsageProof,
  readEncryptionKeyProofs,
  requireEncryptionKeysMatchDatabase,
  EncryptionKeyMismatchError,
  verifyEncryptionKeysMatchProofs,
  verifyEncryptionKeysMatchDatabase,
} from './key-rotation/stored-encryption-key-proofs.js';
export {
  runSecretsCommand,
  type SecretsCommandArguments,
  type SecretsCommandOptions,
  secretsCommandUsage,
} from './key-rotation/secrets-command.js';
export type {
  RecomputableDigestColumn,
  StandaloneDigestColumn,
  ServiceKeysAndPeppers,
  RowTextsByColumn,
  EncryptedColumn,
  SecretsDatabase,
  SecretsQueryExecutor,
  StoredSecretColumns,
} from './key-rotation/stored-secrets.js';
export { getLoginAttemptCounterKey } from './login-counter-key.js';
export { CredentialCache, type CredentialCacheOptions } from './credential-cache.js';
export { type CsrfCheckRequest, type CsrfRejectionReason, findCsrfRejectionReason } from './check-csrf.js';
export type { CredentialInvalidationListener, CredentialInvalidationNotifier } from './credential-invalidations.js';
export { KeyMaterialError } from './key-material-error.js';
export {
  type RequiredPasswordCharacterKind,
  type PasswordPolicy,
  type UnmetPasswordRequirement,
  findUnmetPasswordRequirements,
} from './password-policy.js';
export { simulatePasswordVerification, hashPassword, needsNewPasswordHash, verifyPassword } from './passwords.js';
export { PepperedSecretDigester, type PepperedDigest } from './pepper.js';
export { generateChatApiKey, generateTokenPublicKey, generateTokenSecret } from './random-keys.js';
export {
  RedisCredentialInvalidationNotifier,
  type RedisInvalidationsOptions,
} from './redis-credential-invalidations.js';
export {
  SecretTextEncryptor,
  SecretTextDecryptionError,
  type TextDecryptionFault,
  type SecretTextEncryptorOptions,
} from './secret-box.js';
export {
  createStoredChatApiKey,
  createStoredInventoryToken,
  type StoredCredentialReader,
  type StoredChatApiKey,
  type StoredInventoryToken,
} from './stored-credentials.js';
export {
  formatTokenText,
  parseTokenHeader,
  defaultTokenTextPrefix,
  type TokenAuthorizationHeader,
  type TokenHeaderParsingFault,
} from './token-header.js';
