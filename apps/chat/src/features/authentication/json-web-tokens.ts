import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Clock, ConfigError, integerVariableSchema } from '@switchboard/platform';
import { errors, jwtVerify, type JWTVerifyOptions } from 'jose';
import { z } from 'zod';
import { createBadRequestError } from '../../errors.js';

/** Signature algorithms of JSON web tokens that the operator can configure. The algorithm `none` is excluded. */
const jsonWebTokenSignatureAlgorithms = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'ES256',
  'ES384',
  'EdDSA',
] as const;

type JsonWebTokenSignatureAlgorithm = (typeof jsonWebTokenSignatureAlgorithms)[number];

/** Environment variables of the sign-in with a JSON web token. */
export const jsonWebTokenEnvironmentSchemas = {
  JWT_AUTH_KEY: z.string().optional().meta({
    description:
      'Key that verifies JSON web tokens of `POST /jwt/fetch_api_key`. HS algorithms need a secret of at least 32 bytes, other algorithms a public key in PEM form. Without a key, the endpoint is disabled',
    secret: true,
  }),
  JWT_AUTH_ALGORITHM: z
    .enum(jsonWebTokenSignatureAlgorithms)
    .default('HS256')
    .meta({ description: 'Algorithm of the signatures of JSON web tokens; tokens with any other are refused' }),
  JWT_AUTH_AUDIENCE: z
    .string()
    .optional()
    .meta({ description: 'Value that the claim `aud` of JSON web tokens must contain; not checked when absent' }),
  JWT_AUTH_MAX_AGE_SECONDS: integerVariableSchema({ min: 0, max: 31_536_000 }).default(600).meta({
    description:
      'Maximum age of JSON web tokens by their claim `iat`, in seconds; 0 accepts any age but requires the claim `exp`',
  }),
};

const jsonWebTokenEnvironmentSchema = z.object(jsonWebTokenEnvironmentSchemas);

/** Parsed values of the environment variables {@link jsonWebTokenEnvironmentSchemas}. */
export type JsonWebTokenConfig = z.infer<typeof jsonWebTokenEnvironmentSchema>;

/** Maximum length of a JSON web token in characters. */
const maxJsonWebTokenLength = 8192;
/** Tolerated difference, in seconds, between the clock of this server and the clock of the token's issuer. */
const clockToleranceSeconds = 10;

/**
 * Verifies JSON web tokens (RFC 7519). The operator configures a trusted service that issues these tokens to sign users
 * in.
 */
export class JsonWebTokenVerifier {
  readonly #key: KeyObject | Uint8Array | null;
  readonly #options: JWTVerifyOptions;

  /**
   * Parses the configured key and creates a verifier of tokens.
   *
   * @throws ConfigError if the key does not fit the algorithm
   */
  constructor(
    config: JsonWebTokenConfig,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    const { JWT_AUTH_KEY: key, JWT_AUTH_ALGORITHM: algorithm, JWT_AUTH_AUDIENCE: audience } = config;
    const maxAge = config.JWT_AUTH_MAX_AGE_SECONDS;
    this.#key = key === undefined ? null : parseTokenVerificationKey(key, algorithm);
    this.#options = {
      algorithms: [algorithm],
      clockTolerance: clockToleranceSeconds,
      ...(audience !== undefined && { audience }),
      ...(maxAge === 0 ? { requiredClaims: ['exp'] } : { maxTokenAge: maxAge }),
    };
  }

  /**
   * Verifies a JSON web token, and returns the email address in the token.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async verifyAndReadEmailAddress(token: string): Promise<string> {
    if (this.#key === null) throw createBadRequestError('JWT authentication is not enabled for this organization');
    if (token === '') throw createBadRequestError('No JSON web token passed in request');
    const { email } = await this.#verify(token, this.#key);
    if (email === undefined || email === null)
      throw createBadRequestError('No email specified in JSON web token claims');
    if (typeof email !== 'string') throw createBadRequestError('Bad JSON web token');
    return email;
  }

  async #verify(token: string, key: KeyObject | Uint8Array): Promise<Readonly<Record<string, unknown>>> {
    if (token.length > maxJsonWebTokenLength) throw createBadRequestError('Bad JSON web token');
    try {
      const options = { ...this.#options, currentDate: new Date(this.clock.now()) };
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw createBadRequestError('Bad JSON web token');
      throw error;
    }
  }
}

/** Types of public keys, by the first two letters of the signature algorithm's name. */
const keyTypeByAlgorithm: Readonly<Record<string, string>> = { RS: 'rsa', PS: 'rsa', ES: 'ec', Ed: 'ed25519' };
const ellipticCurveBySignatureAlgorithm: Readonly<Partial<Record<JsonWebTokenSignatureAlgorithm, string>>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
};

function parseTokenVerificationKey(text: string, algorithm: JsonWebTokenSignatureAlgorithm): KeyObject | Uint8Array {
  if (algorithm.startsWith('HS')) {
    const secret = new TextEncoder().encode(text);
    if (secret.length < 32)
      throw createUnsuitableVerificationKeyError(`${algorithm} needs a secret of at least 32 bytes`);
    return secret;
  }
  const key = parsePublicKeyOrNull(text);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key ?? {};
  const isFit =
    type === keyTypeByAlgorithm[algorithm.slice(0, 2)] &&
    (details?.modulusLength ?? 2048) >= 2048 &&
    details?.namedCurve === ellipticCurveBySignatureAlgorithm[algorithm];
  if (key === null || !isFit)
    throw createUnsuitableVerificationKeyError(`${algorithm} needs a public key of its type in PEM form`);
  return key;
}

function parsePublicKeyOrNull(text: string): KeyObject | null {
  try {
    return createPublicKey(text);
  } catch {
    return null;
  }
}

function createUnsuitableVerificationKeyError(problem: string): ConfigError {
  return new ConfigError([{ name: 'JWT_AUTH_KEY', problem }]);
}
