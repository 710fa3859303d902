import { Controller, Get, HttpException, Module, type Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  parseTokenHeader,
  PepperedSecretDigester,
  createStoredInventoryToken,
  type AuthenticatedAccount,
  type StoredCredentialReader,
  type PepperedDigest,
} from '@switchboard/auth';
import { AuthModule, CurrentActor, Public } from '../src/index.js';

interface TokenActor extends AuthenticatedAccount {
  readonly canWrite: boolean;
}

const pepper = new PepperedSecretDigester({ 1: 'a pepper for the example service, 50 characters long' });
const TOKENS = Symbol('tokens');

class MemoryTokens implements StoredCredentialReader<TokenActor> {
  readonly #rows = [
    { id: 1, kind: 'user', canWrite: true, ...createStoredInventoryToken('secret', 'key', pepper) },
    { id: 2, kind: 'user', canWrite: false, ...createStoredInventoryToken('plain', null, pepper) },
  ];

  findByDigest(digests: readonly PepperedDigest[]): Promise<TokenActor | null> {
    const match = this.#rows.find((row) => row.key === null && digests.some(({ digest }) => digest === row.digest));
    return Promise.resolve(match ?? null);
  }

  findByKey(key: string): Promise<(TokenActor & PepperedDigest) | null> {
    return Promise.resolve(this.#rows.find((row) => row.key === key) ?? null);
  }
}

async function authenticate(
  tokens: StoredCredentialReader<TokenActor>,
  request: FastifyRequest,
): Promise<TokenActor | null> {
  const header = parseTokenHeader(request.headers.authorization);
  if (header.scheme === 'none') return null;
  if (header.scheme === 'malformed') throw new HttpException('Malformed header', 403);
  if (header.scheme === 'v1') {
    const actor = await tokens.findByDigest(pepper.digestUnderAllPeppers(header.secret));
    if (!actor) throw new HttpException('Invalid v1 token', 403);
    return actor;
  }
  const actor = await tokens.findByKey(header.key);
  if (!actor || !pepper.matchesDigest(header.secret, actor)) throw new HttpException('Invalid v2 token', 403);
  return actor;
}

@Controller()
class Things {
  @Get('mine')
  mine(@CurrentActor() actor: TokenActor) {
    return { id: actor.id, canWrite: actor.canWrite };
  }

  @Public()
  @Get('open')
  open(@CurrentActor() actor: TokenActor | null) {
    return { actor: actor?.id ?? null };
  }

  @Public({ identify: true })
  @Get('either')
  either(@CurrentActor() actor: TokenActor | null) {
    return { actor: actor?.id ?? null };
  }
}

@Public()
@Controller('status')
class Status {
  @Get()
  read() {
    return { ok: true };
  }
}

@Module({ providers: [{ provide: TOKENS, useClass: MemoryTokens }], exports: [TOKENS] })
class TokensModule {}

const unauthenticated = () => new HttpException('Authentication credentials were not provided.', 403);

@Module({
  imports: [
    AuthModule.forRootAsync({
      imports: [TokensModule],
      inject: [TOKENS],
      useFactory: (tokens: StoredCredentialReader<TokenActor>) => ({
        authenticate: (request: FastifyRequest) => authenticate(tokens, request),
        unauthenticated,
      }),
    }),
  ],
  controllers: [Things, Status],
})
class ExampleModule {}

@Module({
  imports: [
    AuthModule.forRoot<FastifyRequest, AuthenticatedAccount>({
      authenticate: () => Promise.resolve({ id: 3, kind: 'user' }),
      unauthenticated,
      createGuard: (authentication) => ({
        async canActivate(context) {
          await authentication.canActivate(context);
          return context.switchToHttp().getRequest<FastifyRequest>().headers['x-blocked'] === undefined;
        },
      }),
    }),
  ],
  controllers: [Things],
})
class WrappedGuardModule {}

@Module({ controllers: [Things] })
class UnguardedModule {}

async function start(module: Type): Promise<NestFastifyApplication> {
  const built = await Test.createTestingModule({ imports: [module] }).compile();
  const app = built.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  await app.init();
  return app;
}

let app: NestFastifyApplication;

beforeAll(async () => {
  app = await start(ExampleModule);
});

afterAll(() => app.close());

async function get(url: string, authorization?: string): Promise<{ status: number; body: unknown }> {
  const headers = authorization === undefined ? {} : { authorization };
  const response = await app.inject({ method: 'GET', url, headers });
  return { status: response.statusCode, body: response.json() };
}

describe('authentication guard', () => {
  it('passes the actor of a valid token to handlers, for each version and keyword', async () => {
    expect(await get('/mine', 'Bearer nbt_key.secret')).toEqual({ status: 200, body: { id: 1, canWrite: true } });
    expect(await get('/mine', 'Token nbt_key.secret')).toMatchObject({ status: 200 });
    expect(await get('/mine', 'Token plain')).toEqual({ status: 200, body: { id: 2, canWrite: false } });
  });

  it.each([
    [undefined, 'Authentication credentials were not provided.'],
    ['Basic abc', 'Authentication credentials were not provided.'],
    ['Token a b', 'Malformed header'],
    ['Bearer wrong', 'Invalid v1 token'],
    ['Bearer nbt_key.wrong', 'Invalid v2 token'],
    ['Bearer nbt_other.secret', 'Invalid v2 token'],
    ['Token secret', 'Invalid v1 token'],
  ])('rejects %j with a specific message', async (authorization, message) => {
    expect(await get('/mine', authorization)).toMatchObject({ status: 403, body: { message } });
  });

  it('admits requests to public handlers and controllers without checking credentials', async () => {
    expect(await get('/open', 'Bearer wrong')).toEqual({ status: 200, body: { actor: null } });
    expect(await get('/status')).toEqual({ status: 200, body: { ok: true } });
  });

  it('identifies the actor for a public handler if requested, and then rejects invalid credentials', async () => {
    expect(await get('/either')).toEqual({ status: 200, body: { actor: null } });
    expect(await get('/either', 'Token plain')).toEqual({ status: 200, body: { actor: 2 } });
    expect(await get('/either', 'Token wrong')).toMatchObject({ status: 403 });
  });

  it('runs within the guard that the option createGuard returns', async () => {
    const service = await start(WrappedGuardModule);
    const statusOf = async (headers: Record<string, string>) =>
      (await service.inject({ method: 'GET', url: '/mine', headers })).statusCode;
    const statuses = [await statusOf({}), await statusOf({ 'x-blocked': 'yes' })];
    await service.close();
    expect(statuses).toEqual([200, 403]);
  });

  it('causes status 500 when no guard has run before a handler that requires an actor', async () => {
    const unguarded = await start(UnguardedModule);
    const response = await unguarded.inject({ method: 'GET', url: '/mine' });
    await unguarded.close();
    expect(response.statusCode).toBe(500);
  });
});
